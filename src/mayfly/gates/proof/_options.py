"""The numbers a proof is made by; every one can be changed by the caller."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class ProofOptions:
    """Say how much is tried, and for how long."""

    mutants: int = 24
    # How many inputs of the domain everything is tried on, and on how many a rival has to agree to be a witness.
    inputs: int = 60
    agreeing: int = 10
    timeout: float = 5.0
    mutant_seconds: float = 0.05
    mutant_factor: float = 20.0
    input_seconds: float = 0.1
    large_seconds: float = 0.1
    large_total_seconds: float = 0.5
    total_seconds: float = 5.0
    memory: int = 100 * MIB
    patience: int = 1
    suspects: int = 2
    adversary: bool = True

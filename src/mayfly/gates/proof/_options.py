"""The numbers a proof is made by; every one can be changed by the caller."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class ProofOptions:
    """Say how much is tried, for how long, and what counts as a strong proof."""

    mutants: int = 24
    killed: float = 0.6
    fewest_mutants: int = 1
    telling: int = 0
    luck: float = 0.1
    near: int = 40
    odd: int = 20
    timeout: float = 5.0
    mutant_seconds: float = 0.05
    mutant_factor: float = 20.0
    near_seconds: float = 0.1
    odd_seconds: float = 0.1
    odd_total_seconds: float = 0.5
    total_seconds: float = 5.0
    memory: int = 100 * MIB
    patience: int = 1
    suspects: int = 2
    properties: bool = True
    adversary: bool = True
    rivals: bool = True

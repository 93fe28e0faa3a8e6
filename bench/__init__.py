"""Benchmarks: `python bench/run.py` measures and writes RESULTS.md."""

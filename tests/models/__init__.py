"""Tests of the seam to language models."""

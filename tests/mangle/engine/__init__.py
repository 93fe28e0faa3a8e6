"""Tests of the Mangle engine."""

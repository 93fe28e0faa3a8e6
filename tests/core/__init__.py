"""Tests of the contract types, errors and settings."""

"""Tests of the checks that a Mangle program passes before it runs."""

"""A matrix of payments: each step, each fault, and what has to hold afterwards."""

"""A sieve, factorisation, perfect numbers and a Miller-Rabin test."""

ARGUMENT = 10_000


def sieve(limit):
    marks = bytearray([1]) * (limit + 1)
    marks[:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if marks[n]:
            marks[n * n :: n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n, mark in enumerate(marks) if mark]


def factors(n):
    found, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1
    return found + [n] if n > 1 else found


def is_prime(n):
    if n < 2 or n % 2 == 0:
        return n == 2
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if a % n and x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(s - 1)):
            return False
    return True


def main(argument):
    primes = sieve(argument)
    return {"count": len(primes), "last": primes[-3:], "factors": factors(360360), "large": is_prime(2**89 - 1), "not": is_prime(2**67 - 1), "perfect": [n for n in range(2, 500) if sum(d for d in range(1, n) if n % d == 0) == n]}

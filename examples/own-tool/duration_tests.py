"""What the tool has to do, by somebody who had not seen it."""


def test_parts_add_up():
    assert duration_seconds("1h30m") == 5400


def test_every_unit_counts():
    assert duration_seconds("1d1h1m1s") == 90061


def test_one_part_is_enough():
    assert duration_seconds("45s") == 45


def test_what_is_no_duration_is_an_error():
    try:
        duration_seconds("soon")
    except ValueError:
        return
    raise AssertionError("it was taken")

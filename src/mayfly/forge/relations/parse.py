"""What was parsed has structure: it is neither nothing nor the text itself, and no record of it is empty."""


def check(input, output):
    if output is None or output == input:
        return not input
    records = output if isinstance(output, list) else [output]
    return all(record is not None and record != {} for record in records)

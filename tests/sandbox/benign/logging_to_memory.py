"""logging with a formatter and a filter, into a StringIO."""

import io
import logging

ARGUMENT = ["ok", "bad"]


def main(argument):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(funcName)s:%(message)s"))
    logger = logging.getLogger("job.part")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    for text in argument:
        logger.info("saw %s", text)
        logger.debug("hidden")
    try:
        1 / 0
    except ZeroDivisionError:
        logger.exception("failed")
    logging.getLogger("job").addHandler(logging.NullHandler())
    return stream.getvalue().splitlines()[:3] + [stream.getvalue().splitlines()[-1]]

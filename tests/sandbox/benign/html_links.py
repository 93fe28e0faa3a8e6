"""html.parser: collect links and text."""

from html.parser import HTMLParser

ARGUMENT = "<html><body><h1>Hi &amp; bye</h1><a href='/a'>A</a><br/><a href='/b' class=x>B <b>bold</b></a></body></html>"


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.text = [], []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.links.append(dict(attributes))

    def handle_data(self, data):
        self.text.append(data)


def main(argument):
    parser = Links()
    parser.feed(argument)
    return {"links": parser.links, "text": "".join(parser.text)}

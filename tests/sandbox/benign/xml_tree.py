"""xml.etree: parse, change, write."""

import xml.etree.ElementTree as ET

ARGUMENT = "<shop><item id='1' price='2.5'>tea</item><item id='2' price='9'>cup</item><note xml:lang='en'>ok</note></shop>"


def main(argument):
    root = ET.fromstring(argument)
    items = {item.text: float(item.get("price")) for item in root.iter("item")}
    added = ET.SubElement(root, "item", id="3", price="1")
    added.text = "spoon & fork"
    root.remove(root.find("note"))
    ET.indent(root)
    try:
        ET.fromstring("<a><b></a>")
    except ET.ParseError as error:
        problem = error.code
    return {"items": items, "xml": ET.tostring(root, encoding="unicode"), "found": root.find(".//item[@id='2']").text, "problem": problem}

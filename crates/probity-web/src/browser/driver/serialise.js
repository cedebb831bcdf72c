(most) => {
  // Elements without an end tag have none here either; text of scripts is not escaped and is not wanted anyway.
  const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
  const skipped = new Set("script style noscript template".split(" "));
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const parts = [];
  let length = 0;
  const put = (text) => { length += text.length; parts.push(text); };
  // A stack of our own: a page may be deeper than the one of the script.
  const stack = [document.documentElement];
  while (stack.length > 0 && length < most) {
    const node = stack.pop();
    if (typeof node === "string") { put(node); continue; }
    if (node === null || node === undefined) continue;
    if (node.nodeType === Node.TEXT_NODE) { put(escaped(node.data)); continue; }
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const name = node.localName;
    if (skipped.has(name) && node.type !== "application/ld+json") continue;
    let tag = "<" + name;
    for (const attribute of node.attributes) {
      tag += " " + attribute.name + '="' + escaped(attribute.value).replace(/"/g, "&quot;") + '"';
    }
    put(tag + ">");
    if (empty.has(name)) continue;
    stack.push("</" + name + ">");
    // As it is shown: a shadow root in place of its host's children, a slot with what was put into it.
    let inside = node.shadowRoot ? node.shadowRoot.childNodes : node.childNodes;
    if (name === "slot" && node.assignedNodes) {
      const assigned = node.assignedNodes({ flatten: true });
      if (assigned.length > 0) inside = assigned;
    }
    if (name === "script") { put(node.text.replace(/<\//g, "<\\/")); continue; }
    for (let place = inside.length - 1; place >= 0; place -= 1) stack.push(inside[place]);
  }
  const html = "<!DOCTYPE html>" + parts.join("");
  return { url: document.URL, html: html.slice(0, most), truncated: stack.length > 0 || html.length > most };
}

// What the pages do beyond being pages: they follow what is live, take dropped files, and say that they are busy.
"use strict";

document.documentElement.classList.add("with-script");

// News may come in bursts; a page is read again at most this often, in milliseconds.
const PAUSE = 350;

let reading = false;
let again = false;

async function refresh() {
  if (reading) { again = true; return; }
  reading = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) replaceLive(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the server may be away for a moment: the next news tries again */ }
  await new Promise((done) => setTimeout(done, PAUSE));
  reading = false;
  if (again) { again = false; refresh(); }
}

function replaceLive(fresh) {
  for (const old of document.querySelectorAll("[data-live], [data-fresh]")) {
    const now = fresh.getElementById(old.id);
    if (!now || now.innerHTML === old.innerHTML && now.dataset.live === old.dataset.live) continue;
    // Who is typing is not interrupted.
    const typing = document.activeElement;
    if (old.contains(typing) && /^(INPUT|TEXTAREA|SELECT)$/.test(typing.tagName)) continue;
    const open = [...old.querySelectorAll("details")].map((one) => one.open);
    const focus = old.contains(typing) ? [...old.querySelectorAll("a, button, summary")].indexOf(typing) : -1;
    now.querySelectorAll("details").forEach((one, place) => { if (open[place]) one.open = true; });
    old.replaceChildren(...now.childNodes);
    if (now.dataset.live === undefined) { delete old.dataset.live; old.dataset.fresh = ""; } else old.dataset.live = now.dataset.live;
    if (focus >= 0) old.querySelectorAll("a, button, summary")[focus]?.focus();
  }
  const title = fresh.querySelector("title");
  if (title) document.title = title.textContent;
}

function follow() {
  const live = document.querySelector("[data-live]");
  if (!live || !window.EventSource) return;
  const what = live.dataset.live;
  const source = new EventSource(what === "*" ? "/api/events" : `/api/events?run=${encodeURIComponent(what)}`);
  source.addEventListener("ledger", refresh);
  source.addEventListener("end", async () => {
    source.close();
    // The last step and the answer are two writes: look until the page says that it is complete.
    for (let turn = 0; turn < 20 && document.querySelector("[data-live]"); turn += 1) {
      await refresh();
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.busy) return;
  const pressed = event.submitter;
  // Afterwards: a button that is disabled now would not be sent.
  setTimeout(() => {
    form.setAttribute("aria-busy", "true");
    for (const one of form.querySelectorAll("button")) one.disabled = true;
    if (pressed && pressed.classList.contains("main")) pressed.textContent = form.dataset.busy;
  });
});

// Whoever comes back by the browser's history finds the form as it was.
window.addEventListener("pageshow", () => {
  for (const one of document.querySelectorAll("form[aria-busy] button")) one.disabled = false;
});

for (const form of document.querySelectorAll("form[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("over"); });
  }
  form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) form.classList.remove("over"); });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}

for (const box of document.querySelectorAll("textarea[data-enter]")) {
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); box.form.requestSubmit(); }
  });
}

// On a narrow screen the menu is scrolled to where one is.
const current = document.querySelector(".side [aria-current]");
if (current) current.closest("ul").scrollLeft = current.offsetLeft - 80;

follow();

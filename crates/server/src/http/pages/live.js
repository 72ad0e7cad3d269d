// Keeps a page live: follows the stream that the page names, and takes over the parts that changed.
// Everything works without it; a reload shows the same.

const main = document.querySelector("main");
const mark = document.querySelector("#live-mark");
/** Where the page is read again. An answer that was not taken leaves the browser at an address that only takes answers. */
const address = main?.dataset.place ?? location.href;
if (main?.dataset.place) history.replaceState(null, "", address);
/** How long to collect events before looking, at least; a slow page is looked at less often. */
const SOONEST = 400;

/** Events without a name are messages; the others come under their own. */
const NAMED = ["message", "task_started", "task_completed", "task_failed", "task_cancelled", "phase_started",
  "phase_completed", "phase_failed", "agent_started", "agent_completed", "agent_failed", "agent_fallback",
  "circuit_opened", "alert"];

let pending = false;
let held = false;
let took = 0;

function keep(now, then) {
  // What a person has opened or closed stays as it is.
  for (const was of now.querySelectorAll("details[id]")) {
    const is = then.querySelector(`#${CSS.escape(was.id)}`);
    if (is) is.open = was.open;
  }
}

/** Times come in UTC, and are shown in the reader's zone: the day as well unless the mark asks for the clock alone. */
function local(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    // Sweden writes days and times as ISO 8601 does.
    const clock = at.toLocaleTimeString("sv-SE");
    time.textContent = "clock" in time.dataset ? clock : `${at.toLocaleDateString("sv-SE")} ${clock}`;
    time.title = at.toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "long" });
  }
}

function isEdited(part) {
  const fields = [...part.querySelectorAll("textarea, input:not([type=hidden])")];
  return fields.some((field) => field === document.activeElement || field.value !== field.defaultValue);
}

/** Where an element stands below a root, and the one that stands there in another. */
function place(root, element) {
  const path = [];
  for (let at = element; at !== root; at = at.parentElement) path.unshift([...at.parentElement.children].indexOf(at));
  return path;
}
const at = (root, path) => path.reduce((element, nth) => element?.children[nth], root);

/** The plan that was on the screen for each run, and the runs whose plan became another while somebody looked. */
const shown = new Map();
const changed = new Set();
/** How long nothing can be decided then: a click was meant for the plan that was there before. */
const TO_LOOK = 1500;

/** Marks the questions about another plan than the one that was on the screen. Each plan is asked about anew, so it is the
 * run that tells which questions belong together. */
function compare(part) {
  let isOther = false;
  for (const form of part.querySelectorAll("form.answer:has(input[name=digest])")) {
    const run = form.getAttribute("action").split("/questions/")[0];
    const digest = form.querySelector("input[name=digest]").value;
    if (shown.has(run) && shown.get(run) !== digest) {
      changed.add(run);
      isOther = true;
    }
    shown.set(run, digest);
    const note = form.closest(".card")?.querySelector(".changed");
    if (note) note.hidden = !changed.has(run);
  }
  return isOther;
}
compare(document);

function hold(part) {
  const buttons = [...part.querySelectorAll("form.answer button")];
  held = true;
  for (const button of buttons) button.disabled = true;
  setTimeout(() => {
    held = false;
    for (const button of buttons) button.disabled = false;
    later();
  }, TO_LOOK);
}

/** Takes over a part of the page; who works by keyboard stays where they are. */
function replace(part, fresh) {
  const path = part.contains(document.activeElement) && place(part, document.activeElement);
  part.replaceChildren(...document.adoptNode(fresh).childNodes);
  if (path) at(part, path)?.focus({ preventScroll: true });
  count();
}

async function refresh() {
  pending = false;
  const begun = performance.now();
  const answer = await fetch(address, { credentials: "same-origin", headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  local(page);
  for (const part of main.querySelectorAll("[id^=live-]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || isEdited(part)) continue;
    keep(part, fresh);
    if (held && part.querySelector("form.answer")) continue;
    const isOther = compare(fresh);
    if (fresh.innerHTML === part.innerHTML) continue;
    replace(part, fresh);
    if (isOther) hold(part);
  }
  const next = page.querySelector("main")?.dataset.live;
  if (!next) stop();
  took = performance.now() - begun;
}

function later() {
  if (pending) return;
  pending = true;
  setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", refresh, { once: true }) : refresh()),
    Math.max(SOONEST, took * 4));
}

let source;
function stop() {
  source?.close();
  if (mark) mark.hidden = true;
}

if (main?.dataset.live) {
  source = new EventSource(main.dataset.live);
  source.onopen = () => mark && (mark.hidden = false);
  source.onerror = () => mark && (mark.hidden = true);
  for (const name of NAMED) source.addEventListener(name, later);
}

local(document);

/** As the server writes how long something took. */
function lasted(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  if (seconds < 59.5) return `${Math.round(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ${two((seconds / 60) % 60)}m`;
  return `${Math.floor(seconds / 86400)}d ${Math.floor(seconds / 3600) % 24}h`;
}

/** Who is at work may be silent for long: the time goes on here. */
function count() {
  for (const time of main.querySelectorAll("[data-lasts]")) {
    time.began ??= performance.now() - Number(time.dataset.lasts) * 1000;
    time.textContent = lasted((performance.now() - time.began) / 1000);
  }
}
if (main?.dataset.live) {
  count();
  setInterval(() => document.hidden || count(), 1000);
}

// A link to a task opens it.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// Keys: / searches, g then a letter goes to a page.
let gone = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
  const places = { r: "/", i: "/inbox", k: "/kpis", m: "/cost", l: "/alerts", s: "/schedules", a: "/agents", t: "/tools", c: "/config" };
  if (event.key === "/") {
    const search = document.querySelector("#q");
    if (search) { event.preventDefault(); search.focus(); }
  } else if (event.key === "g") {
    gone = Date.now();
  } else if (Date.now() - gone < 1000 && places[event.key]) {
    location.href = places[event.key];
  }
});

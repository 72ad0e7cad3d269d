// Uses the pages as a person does, in a real browser. Arguments: the folder with node_modules, the login link, a folder
// for pictures, a run whose plan was changed, one with a task that failed and is asked about, two whose plans wait, and a
// token. Prints what it saw as one JSON object.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [modules, link, pictures, changed, asking, watched, stale, token] = process.argv.slice(2);
const need = createRequire(`${modules}/`);
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const seen = { executed: [], errors: [], serious: [] };
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: "Asia/Kolkata" });
const page = await context.newPage();
page.on("dialog", (dialog) => { seen.executed.push(dialog.message()); dialog.dismiss(); });
page.on("console", (message) => message.type() === "error" && !/no-such-page|questions/.test(message.location().url) && seen.errors.push(message.text()));
page.on("pageerror", (error) => seen.errors.push(String(error)));
const origin = new URL(link).origin;

async function look(name) {
  // The policy forbids scripts of others, so the checker is put in by the debugger.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const it of found.violations.filter((it) => ["serious", "critical"].includes(it.impact))) {
    seen.serious.push(`${name}: ${it.id}: ${it.nodes.slice(0, 2).map((node) => node.html).join(" | ")}`);
  }
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [400, "light"], [400, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${pictures}/${name}-${width}-${scheme}.png`, fullPage: width === 1280 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (wide > 1) seen.errors.push(`${name}: ${wide} px too wide at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

// Without a token a person is led to the login, and the link works once.
await page.goto(origin);
seen.stranger = new URL(page.url()).pathname;
await page.goto(link);
await page.waitForURL(`${origin}/`);
seen.cookie = (await context.cookies()).find((it) => it.name === "candor_session");
const other = await browser.newContext();
seen.reused = (await (await other.newPage()).goto(link)).status();
await other.close();

// A plan that was changed shows what changed, and is approved as it is now.
await page.goto(`${origin}/runs/${changed}`);
await page.waitForSelector(".diff");
seen.change = (await page.textContent(".diff li")).replace(/\s+/g, " ").trim();
await look("changed-plan");
await page.click("button[value=approve]");
await page.waitForSelector("#live-head .badge.s-ok", { timeout: 20000 });
seen.approved = (await page.textContent("#live-head .badge")).replace(/[^A-Za-z]/g, "");

/** Changes a plan as a program does, beside the page; returns once it is asked about again. */
async function change(run, task, value) {
  const api = `${origin}/api/v1/runs/${run}/questions`;
  const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
  const asked = async () => (await (await fetch(api, { headers })).json()).questions[0];
  const { gate, digest } = await asked();
  const changes = [{ task_id: task, field: "priority", value }];
  await fetch(`${api}/${gate}`, { method: "POST", headers, body: JSON.stringify({ decision: "modify", digest, changes }) });
  for (;;) {
    const now = await asked();
    if (now?.digest && now.digest !== digest) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}
const words = async (selector) => (await page.locator(selector).allTextContents()).map((text) => text.replace(/\s+/g, " ").trim());

// A plan that changes while somebody looks says so, and is not approved by a click that was meant for the one before.
await page.goto(`${origin}/runs/${watched}`);
await page.waitForSelector("#live-mark:not([hidden])");
await change(watched, "t1", 7);
await page.waitForSelector(".card.ask .changed:not([hidden])");
seen.live = { held: await page.isDisabled("button[value=approve]"), change: (await words(".diff li"))[0] };
await look("plan-changed-live");
await page.click("button[value=approve]");
await page.waitForSelector("#live-head .badge.s-ok", { timeout: 20000 });
seen.live.approved = (await page.textContent("#live-head .badge")).replace(/[^A-Za-z]/g, "");

// Who is writing keeps the page as it is; the answer is then about an earlier plan, and comes back.
await page.goto(`${origin}/runs/${stale}`);
await page.waitForSelector("#live-mark:not([hidden])");
await page.fill(".card.ask textarea", "Keep the ribbon");
await change(stale, "t1", 7);
await change(stale, "t2", 8);
const refused = page.waitForResponse((it) => it.request().method() === "POST");
await page.click("button[value=approve]");
seen.stale = { status: (await refused).status() };
await page.waitForSelector("[role=alert]");
seen.stale.alert = await page.textContent(".card.ask [role=alert]");
seen.stale.at = new URL(page.url()).pathname;
seen.stale.kept = await page.inputValue(".card.ask textarea");
seen.stale.changes = await words(".diff li");
await look("plan-changed-refused");
await page.click("button[value=approve]");
await page.waitForSelector("#live-head .badge.s-ok", { timeout: 20000 });
seen.stale.approved = (await page.textContent("#live-head .badge")).replace(/[^A-Za-z]/g, "");

// Start, watch live, answer.
await page.goto(origin);
await look("runs-empty");
await page.fill("#goal", "<script>alert('goal')</script> Write a letter to the <b>beekeepers</b>");
await page.click("button.primary");
await page.waitForSelector(".card.ask", { timeout: 20000 });
seen.title = await page.textContent("h1");
await look("question");
await page.goto(`${origin}/inbox`);
seen.inbox = await page.locator(".card.ask").count();
await look("inbox");
await page.click("button[value=approve]");
await page.waitForSelector("#live-head .badge.s-ok", { timeout: 20000 });
seen.result = (await page.textContent("section[aria-labelledby=h-result]")).replace(/\s+/g, " ");
await page.click(".task summary");
await look("done");

// A task that failed is given to another agent where its failure is shown, once.
await page.goto(`${origin}/runs/${asking}`);
seen.causes = await page.locator(".card.ask ul.bad li").count();
seen.failed = [await page.locator(".card.ask :text('Bind the books with glue')").count(), await page.locator("datalist option[value=writer]").count()];
await look("failing-task");
await page.fill(".card.ask input[name=agent]", "writer");
await page.click("button[value=retry]");
await page.waitForSelector("#live-head .badge.s-ok", { timeout: 20000 });

// A run that fails says why, and its failed tasks are open.
await page.goto(`${origin}/runs/run_failing`);
seen.failing = await page.textContent("#live-head .badge");
seen.why = await page.textContent(".card.trouble");
seen.open = await page.locator(".task[open]").count();
seen.again = await page.locator("form[action$='/resume']").count();
const time = page.locator("dl.facts time").first();
seen.zone = [await time.getAttribute("datetime"), await time.textContent()];
await look("failed");

// A run that is under way is cancelled; the page hears of it.
await page.goto(`${origin}/runs/run_slow`);
await page.waitForSelector("#live-mark:not([hidden])");
// Its agent says nothing, and yet its time goes on.
const lasted = async () => parseFloat(await page.textContent(".task summary [data-lasts]"));
const before = await lasted();
await page.waitForTimeout(2500);
seen.running = [before > 5, (await lasted()) > before];
await look("running");
await page.click("button.danger");
await page.waitForFunction(() => /Cancelled/.test(document.querySelector("#live-head .badge")?.textContent ?? ""), null, { timeout: 20000 });
seen.cancelled = true;

for (const [path, name] of [["/", "runs"], ["/agents", "agents"], ["/tools", "tools"], ["/kpis", "kpis"],
  ["/kpis/depth", "kpi"], ["/cost", "cost"], ["/alerts", "alerts"], ["/schedules", "schedules"], ["/config", "config"]]) {
  await page.goto(origin + path);
  await look(name);
}
// A figure leads to the runs that it comes from, and a schedule is paused on its page.
await page.goto(`${origin}/kpis`);
await page.click("a.tile[href^='/kpis/depth']");
await page.click("td.request a[href='/runs/run_failing']");
seen.behind = new URL(page.url()).pathname;
await page.goto(`${origin}/schedules`);
await page.click("form[action='/schedules/nightly/pause'] button");
await page.waitForSelector("form[action='/schedules/nightly/resume']");
seen.paused = await page.locator(".badge.s-skip").count();
await page.goto(`${origin}/config`);
// A page that is not there leads back to those that are.
const nothing = await page.goto(`${origin}/no-such-page`);
seen.nowhere = [nothing.status(), await page.locator("main a[href='/']").count()];
await page.goto(`${origin}/config`);
// Spanish, dark, and by keyboard.
await page.click("text=Español");
seen.spanish = await page.textContent("nav a[aria-current]");
await page.click("text=Oscuro");
seen.dark = await page.getAttribute("html", "data-theme");
await page.goto(origin);
await page.keyboard.press("/");
seen.focused = await page.evaluate(() => document.activeElement.id);
await page.goto(`${origin}/runs/run_failing`);
seen.told = (await page.textContent("#live-phases li")) + (await page.textContent(".attempt .badge"));

// Reading works without scripts.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const still = await plain.newPage();
await still.goto(`${origin}/runs/run_failing`);
seen.withoutScripts = await still.locator(".task").count();

console.log(JSON.stringify(seen));
await browser.close();

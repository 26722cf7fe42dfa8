// What tests of pages share: the program, a real browser, a page that must tell of no error. With
// SCREENSHOTS=DIR pictures are kept.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(import.meta.dirname, "../..");
const program = resolve(root, process.env.NEARDUPE_BINARY ?? "target/debug/neardupe");
export const folder = mkdtempSync(join(tmpdir(), "neardupe-report-"));
export const pictures = process.env.SCREENSHOTS;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  if (pictures) mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command and returns the path of its report. */
export function run(command, name, ...args) {
  const output = join(folder, name);
  execFileSync(program, [command, "--quiet", "--output", output, ...args], { cwd: root });
  return join(output, "report.html");
}

/** Opens a report; ends with an error when the page tells of one or loads anything. */
export async function open(
  path,
  use,
  { scheme = "light", width = 1200, script = true } = {},
) {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 900 },
    offline: true,
    javaScriptEnabled: script,
  });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const url = pathToFileURL(path).href;
  page.on("request", (request) => {
    if (request.url() !== url) faults.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await use(page);
  assert.deepEqual(faults, []);
  assert.ok(statSync(path).size < 2_000_000);
  await context.close();
}

export async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Whether a page is no wider than its screen. */
export async function fits(page) {
  const [content, screen] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(content <= screen, `${content} > ${screen}`);
}

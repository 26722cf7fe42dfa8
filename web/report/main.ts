// The script of report.html. The page can be read without it: it draws the charts, whose
// numbers the page also has as tables, and opens a part of the page that a link leads to.
import "uplot/dist/uPlot.min.css";
import "./report.css";
import "./passages.css";
import { type ChartData, drawCharts } from "./chart";
import { followPassages } from "./passages";
import { followTheme } from "./theme";

function readCharts(): ChartData[] {
  const data = document.getElementById("charts");
  return data?.textContent ? (JSON.parse(data.textContent) as ChartData[]) : [];
}

/** A link from the head of the page may lead into a part that is folded. */
function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

/** Paper has no clicks: tables are unfolded for it, differences stay folded. */
function unfoldForPrint(): void {
  const folded = document.querySelectorAll<HTMLDetailsElement>("details.print:not([open])");
  for (const details of folded) {
    details.open = true;
    addEventListener("afterprint", () => (details.open = false), { once: true });
  }
}

const charts = drawCharts(readCharts());
followTheme(charts);
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", unfoldForPrint);
openTarget();
followPassages();

// Charts follow the colours of the page: those of the system, and those of paper.
import type { Charts } from "./chart";

/** Width of a chart on paper, in CSS pixels: A4 and Letter without their margins. */
const PAPER_WIDTH = 640;

export function followTheme(charts: Charts): void {
  const redraw = () => charts.draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("paper");
    charts.draw(PAPER_WIDTH);
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("paper");
    charts.draw();
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    // Phones tell of a new height whenever their bars move.
    if (innerWidth !== width) {
      width = innerWidth;
      redraw();
    }
  });
}

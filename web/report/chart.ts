// Bar charts.
import uPlot from "uplot";

/** Numbers of one colour. */
export interface Series {
  name: string;
  /** Name of a CSS variable that holds the colour. */
  color: string;
  values: number[];
}

/** A chart as the page describes it; several series are stacked. */
export interface ChartData {
  /** Id of the element it is drawn into. */
  into: string;
  title: string;
  /** What stands below each bar. */
  labels: string[];
  /** What the bars are about. */
  xLabel: string;
  series: Series[];
}

export interface Charts {
  /** Draws all charts anew, in the colours of now. */
  draw(width?: number): void;
}

const HEIGHT = 260;
/** A bar this much larger than the smallest would hide it. */
const LOG_FROM = 500;

export function drawCharts(charts: ChartData[]): Charts {
  let drawn: uPlot[] = [];
  const draw = (width?: number) => {
    for (const chart of drawn) chart.destroy();
    drawn = charts.flatMap((chart) => drawChart(chart, width) ?? []);
  };
  draw();
  return { draw };
}

function drawChart(chart: ChartData, width?: number): uPlot | null {
  const into = document.getElementById(chart.into);
  if (!into) return null;
  const style = getComputedStyle(into);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const numbers = new Intl.NumberFormat("en");
  const isLog = chart.series.length === 1 && spread(chart.series[0]!.values) > LOG_FROM;
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  const options: uPlot.Options = {
    width: width ?? into.clientWidth,
    height: HEIGHT,
    // Room for half of the last label.
    padding: [12, 30, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    legend: { live: true },
    scales: {
      x: { time: false, range: [-0.6, chart.labels.length - 0.4] },
      y: isLog
        ? { distr: 3, range: (_, _min, max) => [0.5, max * 1.6] }
        : { range: (_, _min, max) => [0, Math.max(1, max * 1.06)] },
    },
    axes: [
      {
        stroke: color("--quiet"),
        grid: { show: false },
        ticks: { show: false },
        label: chart.xLabel,
        labelSize: 22,
        size: 30,
        splits: () => chart.labels.map((_, at) => at),
        values: (u, splits) => thinned(splits.map((at) => chart.labels[at] ?? ""), u.width),
      },
      {
        stroke: color("--quiet"),
        grid: { stroke: color("--line"), width: 1 },
        ticks: { show: false },
        size: 58,
        label: isLog ? `${chart.series[0]!.name}, by powers of ten` : undefined,
        labelSize: 18,
        values: (_, splits) =>
          splits.map((n) => (n == null || !isShown(n, isLog) ? "" : short.format(n))),
      },
    ],
    series: [
      { label: chart.xLabel, value: (_, at) => (at == null ? "" : (chart.labels[at] ?? "")) },
      ...chart.series.map((series, at): uPlot.Series => {
        const fill = color(series.color);
        return {
          label: series.name,
          stroke: fill,
          fill,
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.82, 64], radius: 0.08 }),
          // What is drawn is stacked; what is told is not.
          value: (_u, _v, _s, bar) => (bar == null ? "" : numbers.format(chart.series[at]!.values[bar] ?? 0)),
        };
      }),
    ],
  };
  const plot = new uPlot(options, [chart.labels.map((_, at) => at), ...stacked(chart, isLog)], into);
  plot.root.setAttribute("role", "img");
  plot.root.setAttribute("aria-label", `${chart.title}. The numbers are in the table below.`);
  return plot;
}

/** Each series on top of those after it: the first is the highest and is drawn first. */
function stacked(chart: ChartData, isLog: boolean): (number | null)[][] {
  const height = (from: number, bar: number) =>
    chart.series.slice(from).reduce((sum, series) => sum + (series.values[bar] ?? 0), 0);
  return chart.series.map((_, from) =>
    // No logarithm of nothing.
    chart.labels.map((_, bar) => height(from, bar) || (isLog ? null : 0)),
  );
}

/** The largest number against the smallest that is not 0. */
function spread(values: number[]): number {
  const some = values.filter((value) => value > 0);
  return some.length ? Math.max(...some) / Math.min(...some) : 1;
}

/** On a logarithmic axis only the powers of ten, on others whole numbers. */
function isShown(number: number, isLog: boolean): boolean {
  return isLog ? Number.isInteger(Math.log10(number)) : Number.isInteger(number);
}

/** As many labels as there is room for; the last one stays. */
function thinned(labels: string[], width: number): string[] {
  const longest = Math.max(1, ...labels.map((label) => label.length));
  const step = Math.max(1, Math.ceil((labels.length * (longest * 7 + 14)) / Math.max(1, width - 80)));
  const last = labels.length - 1;
  return labels.map((label, at) => ((last - at) % step === 0 ? label : ""));
}

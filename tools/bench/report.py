# SPDX-License-Identifier: GPL-2.0
"""What bench measured, as Markdown and as plots."""
import json
import subprocess

COLOURS = {"ttp": "#0060ad", "tcp": "#dd181f", "dctcp": "#2e8b57",
           "best": "#888888"}
HEAD = """# Measurements

TTP beside TCP (cubic) and DCTCP: the same calls, at the same times, on the
same network of switches, in virtual time. `tools/bench/bench` made this; the
raw results are in `raw/`, and a run of the same sources gives the same again.

How: hosts with one link each at a switch (store and forward, eight strict
priorities by PCP, one buffer for all ports, {buffer} KB for each of them and for
{ports} at least, with dynamic thresholds, 0.5 us for each cable and what is at its end), MTU 1500 if nothing else is said. Calls
begin at random (Poisson) at every host, go to any other, and are answered
with as many bytes; sizes are drawn from the workload and cut at 1,000,000
bytes. Load is the share of each link that requests and responses take, with
Ethernet and without any transport's headers. TCP has 8 connections from each
host to each other and takes the one with the fewest bytes on it, NODELAY, the
kernel's buffers, fq in the host, no slow start after idle time, and {rto} us
instead of 200 ms as the shortest time-out. DCTCP marks above {ecn}. Hosts send
what their socket takes. TTP has a plain queue below it (fq beside TCP), 256 MB for messages,
and eight priority levels; it gives the card one frame at a time (`backlog 100ns`),
since hosts are exact here: 5 us are the default.

A transport that does not *keep up* gets through less than 95 % of what is
offered; its queues grow for as long as the load lasts, its times mean nothing,
and no ratios are given.

*Short* are the shortest tenth of the messages, *largest* the longest tenth.
Slowdown is {formula}.

*best* is no transport, but what could be reached with TTP's headers by who knows
all messages at once, sends the ones with the least left first, and is never
disturbed (`ttpperf -t best`): what TTP takes more than that, it takes for want of
knowledge, for packets that have begun, and for fairness.

What is called *broken* is TTP with settings that cannot work: were its figures
like the others, this rig would show nothing.

What this cannot show: the cost of CPUs, of PCIe, of interrupts. A host here is
infinitely fast; every figure is what network and protocol make of it.
"""


def table(rows, head):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    out += ["| " + " | ".join(r) + " |" for r in rows]
    return "\n".join(out) + "\n"


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def of_load(run):
    q = run.queues
    cells = [run.transport, number(run.short("p50")), number(run.short("p99")),
            number(run.short("p999")), number(run.all("p50", "slowdown")),
            number(run.all("p99", "slowdown")), number(run.largest("p50")),
            f"{100 * run.result['load_offered']:.1f}",
            f"{100 * run.result['load_achieved']:.1f}",
            "yes" if run.keeps_up else "**no**"]
    if not q:
        return cells + [""] * (len(LOAD_HEAD) - len(cells))
    return cells + [number(q["peak"] / 1000), number(q["p99"] / 1000),
            number(q["dropped"]), number(run.counters["host-drops"]),
            number(run.retransmits),
            str(run.result["unfinished"] + run.result["failed"])]


LOAD_HEAD = ["", "short P50, us", "P99", "P99.9", "slowdown P50", "P99",
             "largest P50, us", "offered, %", "achieved, %",
             "keeps up", "longest queue, KB", "P99", "drops",
             "drops in hosts", "sent again", "not ended"]


def how(group):
    """One line on what was run."""
    r = next(iter(group.values()))
    words = " ".join(r.args).replace("/mnt/tests/workloads/", "")
    text = f"{r.hosts} hosts at {r.gbps} Gbit/s, `ttpperf {words}`, seed {r.seed}"
    if r.fabric:
        text += ", " + " ".join(r.fabric)
    if r.mtu != 1500:
        text += f", MTU {r.mtu}"
    if r.classes:
        text += ", two classes in the cards (priorities 6 and 7 first)"
    if r.ttp_dev:
        text += f"; **TTP changed: {r.ttp_dev}**"
    if r.beside:
        text += f"; at the same time `ttpperf {r.beside}`"
    measured = ", ".join(f"{t} {g.result['seconds'] * 1000:.4g}"
                         for t, g in group.items())
    return f"{text}. Virtual ms measured: {measured}.\n"


def beside(run):
    c = run.beside_result["classes"]
    return (f"Beside {run.transport}: the other's short P50 {number(c[0]['us']['p50'])} us, P99 "
            f"{number(c[0]['us']['p99'])} us, slowdown P99 "
            f"{number(c[-1]['slowdown']['p99'])}, achieved "
            f"{100 * run.beside_result['load_achieved']:.1f} % of "
            f"{100 * run.beside_result['load_offered']:.1f}.\n")


def markdown(by_name, figures, out, switch, rto_us, plots):
    some = next(iter(next(iter(by_name.values())).values()))
    text = [HEAD.format(buffer=switch["buffer_kb"], ports=switch["ports"],
                        ecn=", ".join(f"{k} KB at {g} Gbit/s" for g, k in
                                      switch["ecn_kb"].items()), rto=rto_us,
                        formula=some.result["slowdown_is"].split("= ", 1)[1])]
    for name, group in by_name.items():
        text.append(f"## {name}\n")
        text.append(how(group))
        if next(iter(group.values())).args[0] == "load":
            text.append(table([of_load(r) for r in group.values()], LOAD_HEAD))
        else:
            names = list(figures[name][next(iter(group))])
            text.append(table(
                [[t] + [number(figures[name][t][f][0]) for f in names] +
                 [number(group[t].queues["peak"] / 1000),
                  number(group[t].queues["dropped"])] for t in group],
                [""] + [f"{f}, {figures[name][next(iter(group))][f][1]}"
                        for f in names] + ["longest queue, KB", "drops"]))
        text += [beside(r) for r in group.values() if r.beside]
        for p in plots.get(name, []):
            text.append(f"![{p}](plots/{p}.svg)\n")
        walls = ", ".join(f"{t} {r.wall / (r.result['seconds'] or 1):,.0f}"
                          for t, r in group.items())
        text.append(f"Seconds of this machine for a virtual one: {walls}.\n")
    for p in plots.get("", []):
        text.append(f"## all loads\n\n![{p}](plots/{p}.svg)\n")
    (out / "report.md").write_text("\n".join(text))


# ---- plots

def gnuplot(out, name, script):
    """One plot, as SVG and PNG."""
    for term, ext in (("svg size 800,500 background 'white' noenhanced", "svg"),
                      ("pngcairo size 800,500 noenhanced", "png")):
        text = f"set terminal {term}\nset output '{out}/{name}.{ext}'\n" \
               "set grid\nset key outside\n" + script
        done = subprocess.run(["gnuplot"], input=text, text=True,
                              stderr=subprocess.PIPE)
        if done.returncode:
            raise RuntimeError(f"gnuplot, {name}: {done.stderr}")


def lines(group, file, using, extra=""):
    return ", ".join(f"'{r.raw}/{file}' {extra} using {using} with lines lw 2 "
                     f"lc rgb '{COLOURS[t]}' title '{t}'"
                     for t, r in group.items())


def slowdown_data(run):
    path = run.raw / "slowdown"
    path.write_text("\n".join(
        f"{i} {c['upto']} {c['slowdown']['p50']} {c['slowdown']['p99']}"
        for i, c in enumerate(run.result["classes"][:-1])) + "\n")
    return path


def plot_queue(name, group, out):
    group = {t: r for t, r in group.items() if r.queues}
    if not group:
        return []
    gnuplot(out, f"{name}.queue", f"set title '{name}: longest queue'\n"
            "set xlabel 'ms'\nset ylabel 'KB'\nplot " +
            lines(group, "samples", "($1/1e6):($2/1e3)") + "\n")
    return [f"{name}.queue"]


def plot_load(name, group, out):
    gnuplot(out, f"{name}.short", f"set title '{name}: shortest tenth'\n"
            "set logscale x\nset xlabel 'us'\nset ylabel 'share of messages'\n"
            "plot [][0:1] " + lines(group, "cdf", "1:2", "index 0") + "\n")
    gnuplot(out, f"{name}.all", f"set title '{name}: all messages'\n"
            "set logscale x\nset xlabel 'us'\nset ylabel 'share of messages'\n"
            "plot [][0:1] " + lines(group, "cdf", "1:2", "index 1") + "\n")
    for r in group.values():
        slowdown_data(r)
    gnuplot(out, f"{name}.slowdown",
            f"set title '{name}: P99 slowdown by size'\nset logscale y\n"
            "set xlabel 'longest message of the tenth, bytes'\n"
            "set ylabel 'slowdown'\nset xtics rotate\n"
            "plot " + lines(group, "slowdown", "1:4:xtic(2)") + "\n")
    return [f"{name}.{k}" for k in ("short", "all", "slowdown")] + \
        plot_queue(name, group, out)


def plot_achieved(by_name, out):
    """Offered and achieved load of all runs."""
    loads = {n: g for n, g in by_name.items()
             if next(iter(g.values())).args[0] == "load"}
    if not loads:
        return []
    names = sorted({t for g in loads.values() for t in g})
    data = out / "achieved.dat"
    rows = ["name offered " + " ".join(names)]
    for n, g in loads.items():
        first = next(iter(g.values()))
        rows.append(f"{n} {100 * first.result['load_offered']:.2f} " +
                    " ".join(f"{100 * g[t].result['load_achieved']:.2f}"
                             if t in g else "0" for t in names))
    data.write_text("\n".join(rows) + "\n")
    gnuplot(out, "achieved", "set title 'load: offered, achieved'\n"
            "set style data histogram\nset style fill solid\n"
            "set xtics rotate\nset ylabel '% of the link'\n"
            f"plot for [i=2:{len(names) + 2}] '{data}' using i:xtic(1) "
            "title columnheader(i)\n")
    return ["achieved"]


def plots(by_name, out):
    where = out / "plots"
    where.mkdir(exist_ok=True)
    made = {}
    for name, group in by_name.items():
        kind = next(iter(group.values())).args[0]
        if kind == "load":
            made[name] = plot_load(name, group, where)
        elif kind == "incast":
            made[name] = plot_queue(name, group, where)
    made[""] = plot_achieved(by_name, where)
    return made


def results(entries, path):
    path.write_text(json.dumps([{"name": n, "value": v, "unit": u}
                                for n, v, u in entries], indent=1))

package dev.resilience.simulation;

import dev.resilience.simulation.Svg.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/** One strip for each scenario, second by second, over a common time, with the outage shaded. */
final class StripChart {

    private static final int WIDTH = 760;
    private static final int LEFT = 70;
    private static final int TOP = 66;
    private static final int STRIP = 66;
    private static final int PITCH = 100;
    private static final int OUTAGE_SECONDS = 60;

    private final Svg svg;
    private final int strips;
    private final Axis x;
    private final Axis y;
    private int drawn;

    StripChart(String title, String description, String yLabel, int strips, Axis x, Axis y) {
        this.svg = new Svg(WIDTH, TOP + strips * PITCH + 34, title, description);
        this.strips = strips;
        this.x = x;
        this.y = y;
        svg.text("faint", "start", 16, 46, yLabel);
    }

    /**
     * Adds a strip below the others.
     *
     * @param value what is drawn for a second, counted from the outage's start
     */
    void add(String title, String remark, IntToDoubleFunction value) {
        Panel panel = new Panel(svg, LEFT, TOP + drawn * PITCH + 20, WIDTH - LEFT - 24, STRIP, x, y);
        double outageStart = panel.atX(0);
        svg.rectangle("shade", outageStart, panel.top(), panel.atX(OUTAGE_SECONDS) - outageStart, STRIP);
        panel.drawHorizontalGrid();
        List<Point> steps = steps(panel, value);
        List<Point> area = new ArrayList<>(steps);
        area.add(new Point(panel.right(), panel.bottom()));
        area.add(new Point(panel.left(), panel.bottom()));
        svg.area("area f0", area);
        svg.curve("curve c0", steps);
        svg.text("strong", "start", LEFT, panel.top() - 7, title);
        svg.text("faint", "end", panel.right(), panel.top() - 7, remark);
        if (++drawn == strips) {
            panel.drawHorizontalAxis("seconds since the outage began (shaded while it lasts)");
        }
    }

    String finished() {
        return svg.finished();
    }

    private static List<Point> steps(Panel panel, IntToDoubleFunction value) {
        List<Point> points = new ArrayList<>();
        for (int second = (int) panel.x().from(); second < panel.x().to(); second++) {
            points.add(panel.at(second, value.applyAsDouble(second)));
            points.add(panel.at(second + 1, value.applyAsDouble(second)));
        }
        return points;
    }
}

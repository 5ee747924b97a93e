package dev.resilience.simulation;

import dev.resilience.simulation.Svg.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Curves over one pair of axes, each with its name at its right end. */
final class LineChart {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 400;
    private static final double LEAST_DISTANCE_OF_LABELS = 16;

    private final Svg svg;
    private final Panel panel;
    private final List<Label> labels = new ArrayList<>();

    private record Label(String text, int colour, double y) {}

    LineChart(String title, String description, String yLabel, Axis x, String xLabel, Axis y) {
        svg = new Svg(WIDTH, HEIGHT, title, description);
        panel = new Panel(svg, 70, 64, WIDTH - 70 - 130, HEIGHT - 64 - 54, x, y);
        svg.text("faint", "start", 16, 46, yLabel);
        panel.drawHorizontalGrid();
        panel.drawHorizontalAxis(xLabel);
    }

    /** Adds a curve through points given as pairs of values. */
    void add(String name, int colour, List<double[]> values) {
        addLine(name, colour, values).forEach(point -> svg.dot("f" + colour, point));
    }

    /** As {@link #add}, without dots, for many values. */
    List<Point> addLine(String name, int colour, List<double[]> values) {
        List<Point> points =
                values.stream().map(value -> panel.at(value[0], value[1])).toList();
        svg.curve("curve c" + colour, points);
        labels.add(new Label(name, colour, points.get(points.size() - 1).y()));
        return points;
    }

    String finished() {
        double free = 0;
        for (Label label :
                labels.stream().sorted(Comparator.comparingDouble(Label::y)).toList()) {
            double y = Math.max(label.y, free);
            svg.text("strong f" + label.colour, "start", panel.right() + 12, y + 4, label.text);
            free = y + LEAST_DISTANCE_OF_LABELS;
        }
        return svg.finished();
    }
}

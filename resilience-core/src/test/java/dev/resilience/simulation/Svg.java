package dev.resilience.simulation;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes a picture that needs nothing but itself and follows the reader's light or dark mode. */
final class Svg {

    private static final String STYLE = """
            <style>
            text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
            .title { font-weight: 600; font-size: 14px; }
            .strong { font-weight: 600; }
            .faint { fill: #59636e; }
            .paper { fill: #ffffff; }
            .grid { stroke: #d1d9e0; stroke-width: 1; }
            .axis { stroke: #59636e; stroke-width: 1; }
            .shade { fill: #cf222e; fill-opacity: 0.09; }
            .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
            .area { stroke: none; fill-opacity: 0.25; }
            .c0 { stroke: #0969da; } .f0 { fill: #0969da; }
            .c1 { stroke: #bc4c00; } .f1 { fill: #bc4c00; }
            .c2 { stroke: #1a7f37; } .f2 { fill: #1a7f37; }
            .c3 { stroke: #bf3989; } .f3 { fill: #bf3989; }
            .c4 { stroke: #8250df; } .f4 { fill: #8250df; }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc; }
            .faint { fill: #9198a1; }
            .paper { fill: #0d1117; }
            .grid { stroke: #3d444d; }
            .axis { stroke: #9198a1; }
            .shade { fill: #f85149; fill-opacity: 0.16; }
            .c0 { stroke: #58a6ff; } .f0 { fill: #58a6ff; }
            .c1 { stroke: #f0883e; } .f1 { fill: #f0883e; }
            .c2 { stroke: #3fb950; } .f2 { fill: #3fb950; }
            .c3 { stroke: #ff80c8; } .f3 { fill: #ff80c8; }
            .c4 { stroke: #be8fff; } .f4 { fill: #be8fff; }
            }
            </style>
            """;

    private final StringBuilder out = new StringBuilder();

    /** A point of the picture; y grows downwards. */
    record Point(double x, double y) {}

    /**
     * An empty picture.
     *
     * @param description what a reader who cannot see it should know
     */
    Svg(int width, int height, String title, String description) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">",
                width, height, width, height);
        add("<title>%s</title>", escaped(title));
        add("<desc>%s</desc>", escaped(description));
        out.append(STYLE);
        rectangle("paper", 0, 0, width, height);
        text("title", "start", 16, 24, title);
    }

    void rectangle(String style, double x, double y, double width, double height) {
        add("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", style, x, y, width, height);
    }

    void line(String style, double x1, double y1, double x2, double y2) {
        add("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", style, x1, y1, x2, y2);
    }

    void dot(String style, Point at) {
        add("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", style, at.x, at.y);
    }

    void curve(String style, List<Point> points) {
        add("<polyline class=\"%s\" points=\"%s\"/>", style, joined(points));
    }

    void area(String style, List<Point> points) {
        add("<polygon class=\"%s\" points=\"%s\"/>", style, joined(points));
    }

    /**
     * Writes a line of text.
     *
     * @param anchor which part of it is at the point: start, middle or end
     */
    void text(String style, String anchor, double x, double y, String text) {
        add(
                "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>",
                style, anchor, x, y, escaped(text));
    }

    String finished() {
        return out + "</svg>\n";
    }

    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String joined(List<Point> points) {
        return points.stream()
                .map(point -> String.format(Locale.ROOT, "%.1f,%.1f", point.x, point.y))
                .collect(Collectors.joining(" "));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}

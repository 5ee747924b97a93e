package dev.resilience.simulation;

import dev.resilience.simulation.Svg.Point;

/** A rectangle of a picture with two axes. */
record Panel(Svg svg, double left, double top, double width, double height, Axis x, Axis y) {

    Point at(double xValue, double yValue) {
        return new Point(atX(xValue), atY(yValue));
    }

    double atX(double value) {
        return left + width * x.share(value);
    }

    double atY(double value) {
        return top + height * (1 - y.share(value));
    }

    double right() {
        return left + width;
    }

    double bottom() {
        return top + height;
    }

    void drawHorizontalGrid() {
        for (Axis.Tick tick : y.ticks()) {
            svg.line("grid", left, atY(tick.value()), right(), atY(tick.value()));
            svg.text("faint", "end", left - 6, atY(tick.value()) + 4, tick.label());
        }
    }

    void drawHorizontalAxis(String label) {
        svg.line("axis", left, bottom(), right(), bottom());
        for (Axis.Tick tick : x.ticks()) {
            svg.line("axis", atX(tick.value()), bottom(), atX(tick.value()), bottom() + 4);
            svg.text("faint", "middle", atX(tick.value()), bottom() + 18, tick.label());
        }
        svg.text("faint", "middle", left + width / 2, bottom() + 38, label);
    }
}

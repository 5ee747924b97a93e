package dev.resilience.spring.migration;

import java.util.ArrayList;
import java.util.List;

/** Two texts beside each other, as {@code diff -u} shows them, with two lines around each change. */
final class LineDiff {

    private static final int AROUND = 2;

    private LineDiff() {}

    static String of(String path, String before, String after) {
        List<String> left = before.lines().toList();
        List<String> right = after.lines().toList();
        int[][] common = common(left, right);
        List<String> lines = new ArrayList<>();
        List<int[]> numbers = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < left.size() || j < right.size()) {
            numbers.add(new int[] {i + 1, j + 1});
            if (i < left.size() && j < right.size() && left.get(i).equals(right.get(j))) {
                lines.add(" " + left.get(i++));
                j++;
            } else if (j == right.size() || i < left.size() && common[i + 1][j] >= common[i][j + 1]) {
                lines.add("-" + left.get(i++));
            } else {
                lines.add("+" + right.get(j++));
            }
        }
        StringBuilder text = new StringBuilder("--- " + path + "\n+++ " + path + "\n");
        int shown = -1;
        for (int k = 0; k < lines.size(); k++) {
            if (isNearChange(lines, k)) {
                if (shown != k - 1 || k == 0) {
                    text.append("@@ -")
                            .append(numbers.get(k)[0])
                            .append(" +")
                            .append(numbers.get(k)[1])
                            .append(" @@\n");
                }
                text.append(lines.get(k)).append('\n');
                shown = k;
            }
        }
        return text.toString();
    }

    private static boolean isNearChange(List<String> lines, int index) {
        for (int k = Math.max(0, index - AROUND); k <= Math.min(lines.size() - 1, index + AROUND); k++) {
            if (!lines.get(k).startsWith(" ")) {
                return true;
            }
        }
        return false;
    }

    /** The length of the longest common subsequence from each pair of lines on. */
    private static int[][] common(List<String> left, List<String> right) {
        int[][] common = new int[left.size() + 1][right.size() + 1];
        for (int i = left.size() - 1; i >= 0; i--) {
            for (int j = right.size() - 1; j >= 0; j--) {
                common[i][j] = left.get(i).equals(right.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return common;
    }
}

package dev.resilience.time;

import java.util.Arrays;

/**
 * Tasks by their times, and those of the same time in the order in which they were added. A binary heap in which every task
 * knows its position, so that it leaves in logarithmic time when it is cancelled. Not safe for use by many threads.
 */
final class DelayedTaskHeap {

    private DelayedTask[] heap = new DelayedTask[16];
    private int size;
    private int added;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The one that is due first; only if there is one. */
    DelayedTask first() {
        return heap[0];
    }

    void add(DelayedTask task) {
        task.number = added++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        siftUp(size++, task);
    }

    /** Takes out one that is in. */
    DelayedTask take(DelayedTask task) {
        int hole = task.position;
        task.position = DelayedTask.OVER;
        DelayedTask last = heap[--size];
        forgetPlace(size);
        if (last != task) {
            siftDown(hole, last);
            if (heap[hole] == last) {
                siftUp(hole, last);
            }
        }
        return task;
    }

    /** A task that is over may be the last to hold a call's arguments. */
    @SuppressWarnings("NullAway") // no place from the size on is read
    private void forgetPlace(int position) {
        heap[position] = null;
    }

    private void siftUp(int from, DelayedTask task) {
        int position = from;
        while (position > 0) {
            int parent = (position - 1) >>> 1;
            if (isBefore(heap[parent], task)) {
                break;
            }
            put(position, heap[parent]);
            position = parent;
        }
        put(position, task);
    }

    private void siftDown(int from, DelayedTask task) {
        int position = from;
        for (int child = 2 * position + 1; child < size; child = 2 * position + 1) {
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (isBefore(task, heap[child])) {
                break;
            }
            put(position, heap[child]);
            position = child;
        }
        put(position, task);
    }

    private void put(int position, DelayedTask task) {
        heap[position] = task;
        task.position = position;
    }

    /** By differences, as times and numbers may overflow. */
    private static boolean isBefore(DelayedTask one, DelayedTask other) {
        return one.due == other.due ? one.number - other.number < 0 : one.due - other.due < 0;
    }
}

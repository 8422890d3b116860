/* Times of several rounds as the median, with the least and the greatest. */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

typedef struct figure {
    double low, median, high;
} figure;

/* Of values [n], n > 0, which are sorted. */
figure figure_of(double *values, int n);

/* Wall clock, seconds. */
double figure_now(void);

#endif

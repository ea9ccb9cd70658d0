/* How chunk borders cut a request along one axis. */
#include "layout/advise/advise.h"

/* Positions o, 0 <= o <= extent - request, where some chunk takes k elements, fewer than the request and than a chunk:
 * its first k, at the request's end (o + request = i chunk + k), or its last k, at the request's start (o = i chunk -
 * k). */
static int64_t partial(const struct drxi_pieces *p, int64_t k)
{
    const int64_t ends = (p->extent - k) / p->chunk - drxi_ceil_div(p->request - k, p->chunk) + 1;
    const int64_t starts = (p->extent - p->request + k) / p->chunk;

    return ends + starts;
}

/* Positions where a request smaller than a chunk lies inside one. */
static double inside(const struct drxi_pieces *p)
{
    const int64_t positions = p->extent - p->request + 1, fitting = p->chunk - p->request + 1;

    return (double)(positions / p->chunk) * (double)fitting + (double)drxi_min(positions % p->chunk, fitting);
}

static void add_run(struct drxi_pieces *p, int64_t lo, int64_t hi, double each)
{
    p->run[p->runs++] = (struct drxi_pieces_run){ lo, hi, each };
    p->all += each * (double)(hi - lo + 1);
}

/* The next k after `k`, up to `end`, where one of the quotients of partial() changes. */
static int64_t next_change(const struct drxi_pieces *p, int64_t k, int64_t end)
{
    const int64_t at[] = { p->extent % p->chunk + 1, p->request % p->chunk,
                           p->chunk - (p->extent - p->request) % p->chunk };

    for (int i = 0; i < 3; i++)
        if (at[i] > k)
            end = drxi_min(end, at[i]);
    return end;
}

void drxi_pieces(int64_t extent, int64_t chunk, int64_t request, struct drxi_pieces *out)
{
    const int64_t most = drxi_min(request, chunk);
    const double positions = (double)(extent - request) + 1;
    double covered = 0, each;
    int64_t next;

    *out = (struct drxi_pieces){ .extent = extent, .chunk = chunk, .request = request };
    for (int64_t k = 1; k < most; k = next) {
        next = next_change(out, k, most);
        each = (double)partial(out, k) / positions;
        if (each > 0)
            add_run(out, k, next - 1, each);
        covered += each * ((double)(k + next - 1) / 2) * (double)(next - k);
    }
    /* the pieces at a position have as many elements together as the request */
    each = request < chunk ? inside(out) / positions : ((double)request - covered) / (double)chunk;
    if (each > 0)
        add_run(out, most, most, each);
    out->whole = most == chunk ? each : 0;
}

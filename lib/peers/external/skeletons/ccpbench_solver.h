/* A solver of your own for ccpbench, in C or C++, with this header and no library. A solver is
 *
 *     #include "ccpbench_solver.h"
 *
 *     int main(void) {
 *       ccpbench_problem problem = ccpbench_open("{\"name\": \"mine\", \"models\": [\"ncp\"]}", 0);
 *       ... iterate on problem.N and problem.r, from problem.start ...
 *       ccpbench_show(impulse, iterations, error, converged, NULL);   // any number of times
 *       ccpbench_end(impulse, iterations, error, 1, NULL);
 *     }
 *
 * The clock runs from ccpbench_open() to ccpbench_end() and stands while ccpbench judges what is shown. The process ends
 * inside ccpbench_show() when ccpbench has seen enough. What is printed goes to stderr, whose last line is the reason where
 * the process dies. The first half of this file is the protocol, version 1; the chapter "Your own solver" of the user guide
 * describes its bytes and the JSON text of ccpbench_open(). BSD-3-Clause. */
#ifndef CCPBENCH_SOLVER_H
#define CCPBENCH_SOLVER_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CCPBENCH_MAGIC "ccpbench"
enum { CCPBENCH_PROTOCOL = 1, CCPBENCH_BYTE_ORDER = 0x01020304 };
enum { CCPBENCH_CONTACT = 1, CCPBENCH_CONTACT2D = 2, CCPBENCH_UNILATERAL = 3, CCPBENCH_BILATERAL = 4 };
enum { CCPBENCH_CCP = 1, CCPBENCH_NCP = 2 };
enum { CCPBENCH_READY = 1, CCPBENCH_ITERATE = 2, CCPBENCH_END = 3, CCPBENCH_FAILURE = 4 };

/* What a solver sends first, followed by `bytes` of JSON. */
typedef struct {
  char magic[8];
  int32_t byte_order, version;
  int32_t bytes, zero;
} ccpbench_greeting;

/* What ccpbench answers, followed by the arrays: for each constraint its kind and its number of rows (int32), μ (double);
 * where entries_N >= 0, N and r; where dofs > 0, H, D, C, k and b; the start; the settings. A matrix is row_start (int32,
 * rows + 1), column (int32) and value (double), by rows. */
typedef struct {
  char magic[8];
  int32_t byte_order, version;
  int64_t constraints, rows, dofs;
  int64_t entries_N, entries_H, entries_D, entries_C;
  int64_t settings, max_iterations, threads, model;
} ccpbench_request;

/* What a solver sends then, followed by `bytes` of payload: the impulse and its own columns, or a text. It waits for one
 * byte after READY and after each ITERATE. */
typedef struct {
  int32_t kind, bytes;
  int64_t iterations, info;
  double seconds, error;
} ccpbench_frame;

/* Compressed rows. */
typedef struct {
  int rows, columns;
  int *row_start, *column;
  double *value;
} ccpbench_matrix;

typedef struct {
  int constraints, rows, dofs; /* dofs: 0 where there is no H */
  int model, threads;
  int64_t max_iterations;
  int *kind, *rows_of; /* for each constraint; rows of a contact: normal, then tangents */
  double *mu;          /* for each constraint; 0 where it has none */
  ccpbench_matrix N;   /* rows × rows; its blocks are stored whole, with their zeros */
  double *r;
  ccpbench_matrix H, D, C; /* dofs × dofs, dofs × rows, rows × rows */
  double *k, *b;
  double *start;    /* impulse of each row to begin with */
  double *settings; /* in the order declared: numbers, 0 or 1 of a flag, 0, 1, … of a choice */
} ccpbench_problem;

/* ---- what follows is behind the functions of the example above ---- */

typedef struct {
  struct timespec began;
  double seconds;
  int running, rows, columns;
} ccpbench_state;

static inline ccpbench_state *ccpbench_own(void) {
  static ccpbench_state state;
  return &state;
}

static inline void ccpbench_clock_on(void) {
  ccpbench_own()->running = 1;
  clock_gettime(CLOCK_MONOTONIC, &ccpbench_own()->began);
}

static inline void ccpbench_clock_off(void) {
  ccpbench_state *own = ccpbench_own();
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (own->running)
    own->seconds += (double)(now.tv_sec - own->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - own->began.tv_nsec);
  own->running = 0;
}

static inline void ccpbench_receive(void *data, size_t bytes) {
  char *at = (char *)data;
  while (bytes > 0) {
    const ssize_t got = read(0, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0); /* ccpbench has closed its end */
    at += got;
    bytes -= (size_t)got;
  }
}

static inline void ccpbench_send(const void *data, size_t bytes) {
  const char *at = (const char *)data;
  while (bytes > 0) {
    const ssize_t sent = write(0, at, bytes);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(0);
    at += sent;
    bytes -= (size_t)sent;
  }
}

static inline void ccpbench_fail(const char *why, int lack_of_memory) {
  ccpbench_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.kind = CCPBENCH_FAILURE;
  frame.bytes = (int32_t)(strlen(why) < 1000 ? strlen(why) : 1000);
  frame.info = lack_of_memory;
  ccpbench_send(&frame, sizeof frame);
  ccpbench_send(why, (size_t)frame.bytes);
}

static inline void *ccpbench_array(int64_t count, size_t size) {
  void *data = malloc((size_t)count * size + 1);
  if (data == NULL) {
    ccpbench_fail("no memory for the problem", 1);
    _exit(0);
  }
  ccpbench_receive(data, (size_t)count * size);
  return data;
}

static inline int *ccpbench_ints(int64_t count) { return (int *)ccpbench_array(count, sizeof(int32_t)); }
static inline double *ccpbench_doubles(int64_t count) { return (double *)ccpbench_array(count, sizeof(double)); }

static inline ccpbench_matrix ccpbench_receive_matrix(int64_t rows, int64_t columns, int64_t entries) {
  ccpbench_matrix matrix;
  matrix.rows = (int)rows;
  matrix.columns = (int)columns;
  matrix.row_start = ccpbench_ints(rows + 1);
  matrix.column = ccpbench_ints(entries);
  matrix.value = ccpbench_doubles(entries);
  return matrix;
}

/* Greets with a description and reads the problem. own_columns: numbers shown beside the impulse. */
static inline ccpbench_problem ccpbench_read(const char *description, int own_columns) {
  ccpbench_greeting greeting;
  ccpbench_request request;
  ccpbench_problem problem;
  dup2(2, 1); /* standard output belongs to the protocol */
  memset(&problem, 0, sizeof problem);
  memset(&greeting, 0, sizeof greeting);
  memcpy(greeting.magic, CCPBENCH_MAGIC, 8);
  greeting.byte_order = CCPBENCH_BYTE_ORDER;
  greeting.version = CCPBENCH_PROTOCOL;
  greeting.bytes = (int32_t)strlen(description);
  ccpbench_send(&greeting, sizeof greeting);
  ccpbench_send(description, (size_t)greeting.bytes);
  ccpbench_receive(&request, sizeof request);
  if (request.version != CCPBENCH_PROTOCOL) {
    ccpbench_fail("this ccpbench speaks another version of the protocol", 0);
    _exit(0);
  }
  problem.constraints = (int)request.constraints;
  problem.rows = (int)request.rows;
  problem.dofs = (int)request.dofs;
  problem.model = (int)request.model;
  problem.threads = (int)request.threads;
  problem.max_iterations = request.max_iterations;
  problem.kind = ccpbench_ints(request.constraints);
  problem.rows_of = ccpbench_ints(request.constraints);
  problem.mu = ccpbench_doubles(request.constraints);
  if (request.entries_N >= 0) {
    problem.N = ccpbench_receive_matrix(request.rows, request.rows, request.entries_N);
    problem.r = ccpbench_doubles(request.rows);
  }
  if (request.dofs > 0) {
    problem.H = ccpbench_receive_matrix(request.dofs, request.dofs, request.entries_H);
    problem.D = ccpbench_receive_matrix(request.dofs, request.rows, request.entries_D);
    problem.C = ccpbench_receive_matrix(request.rows, request.rows, request.entries_C);
    problem.k = ccpbench_doubles(request.dofs);
    problem.b = ccpbench_doubles(request.rows);
  }
  problem.start = ccpbench_doubles(request.rows);
  problem.settings = ccpbench_doubles(request.settings);
  ccpbench_own()->rows = problem.rows;
  ccpbench_own()->columns = own_columns;
  return problem;
}

static inline void ccpbench_frame_out(int kind, int64_t iterations, int64_t info, double error, const double *impulse,
                                      const double *columns) {
  const ccpbench_state *own = ccpbench_own();
  const size_t head = impulse == NULL ? 0 : (size_t)own->rows * sizeof(double);
  const size_t tail = columns == NULL ? 0 : (size_t)own->columns * sizeof(double);
  ccpbench_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.kind = kind;
  frame.bytes = (int32_t)(head + tail);
  frame.iterations = iterations;
  frame.info = info;
  frame.seconds = own->seconds;
  frame.error = error;
  ccpbench_send(&frame, sizeof frame);
  if (head > 0) ccpbench_send(impulse, head);
  if (tail > 0) ccpbench_send(columns, tail);
}

static inline void ccpbench_wait(void) {
  char go_on;
  ccpbench_receive(&go_on, 1);
}

/* whole_runs: each iterate is a run of its own from the start, whose time is that of the whole run. */
static inline void ccpbench_ready(int whole_runs) {
  ccpbench_frame_out(CCPBENCH_READY, 0, whole_runs, 0.0, NULL, NULL);
  ccpbench_wait();
}

/* ---- the functions of a solver ---- */

/* The problem; the clock starts when this returns. description: JSON. own_columns: the number of columns it declares. */
static inline ccpbench_problem ccpbench_open(const char *description, int own_columns) {
  const ccpbench_problem problem = ccpbench_read(description, own_columns);
  ccpbench_ready(0);
  ccpbench_clock_on();
  return problem;
}

/* Shows an iterate of problem.rows numbers, with the clock stopped, and returns when it is judged. iterations: done so far.
 * error: your own residual, or NAN. converged: whether your own criterion holds. columns: your own, or NULL without any. */
static inline void ccpbench_show(const double *impulse, int64_t iterations, double error, int converged,
                                 const double *columns) {
  const int running = ccpbench_own()->running;
  ccpbench_clock_off();
  ccpbench_frame_out(CCPBENCH_ITERATE, iterations, converged, error, impulse, columns);
  ccpbench_wait();
  if (running) ccpbench_clock_on();
}

/* The answer. converged: whether your own criterion holds. */
static inline void ccpbench_end(const double *impulse, int64_t iterations, double error, int converged,
                                const double *columns) {
  ccpbench_clock_off();
  ccpbench_frame_out(CCPBENCH_END, iterations, converged ? 0 : 1, error, impulse, columns);
}

#endif

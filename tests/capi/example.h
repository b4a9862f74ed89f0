/* What the example in snapviewer.h leaves to its reader. */
#pragma once

#include "core/capi/snapviewer.h"

void complain(const char* message);            /* a failed check */
void consume(struct ArrowArrayStream* stream); /* takes all batches, and checks that there are rows */
void test_example(void);                       /* made of the header */

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer::test {

/// A snapshot made by hand. Device 0 has these events; stack s is a.py:1:f, called by b.py:2:g:
///
///     event 0  segment_alloc 4096 bytes          step
///     event 1  alloc  0x1000  100 bytes, stack s  0..1   allocation 1 (allocation 0 lies below it: 50 bytes, no event)
///     event 2  alloc  0x2000  200 bytes, stack t  1..2   allocation 2
///     event 3  free_requested 0x1000
///     event 4  free_completed 0x1000              2..6   allocation 2 slides down
///     event 5  oom, 7 bytes free
///
/// Device 3 has one event: an alloc at 2^63 + 16 of 300 bytes, without stack or time, never freed: allocation 3, event 6.
std::shared_ptr<const Snapshot> make_snapshot();

/// Timelines of all devices.
std::vector<std::shared_ptr<const Timeline>> make_timelines(const std::shared_ptr<const Snapshot>& snapshot);

std::shared_ptr<query::Database> make_database();

/// Runs a query and returns its rows as text: values separated by '|', rows by '
/// ', NULL as "-".
std::string rows_of(query::Database& database, std::string_view sql, const query::QueryLimits& limits = {});

/// Runs a query that must fail and returns its error.
Error error_of(query::Database& database, std::string_view sql, const query::QueryLimits& limits = {});

}  // namespace snapviewer::test

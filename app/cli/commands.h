#pragma once

#include "app/cli/arguments.h"

namespace snapviewer::cli {

class CommandLine;

/// Adds `snapviewer check`, which compares a run with limits.
void add_check_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer compare`.
void add_compare_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer export`.
void add_export_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer fleet`.
void add_fleet_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer info`.
void add_info_command(CommandLine& line);

/// Adds `snapviewer pack`, which compresses a snapshot.
void add_pack_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer query`.
void add_query_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer render`.
void add_render_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer replay`, which shows the effect of other allocator settings.
void add_replay_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer report`.
void add_report_command(CommandLine& line);

/// Adds `snapviewer layout`.
void add_layout_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer series`.
void add_series_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer serve`.
void add_serve_command(CommandLine& line);

class CommandLine;

/// Adds `snapviewer tree`.
void add_tree_command(CommandLine& line);

}  // namespace snapviewer::cli

#pragma once

/// The subcommands of the program. Each function adds one; the text of its --help is in its source.
namespace snapviewer::cli {

class CommandLine;

void add_info_command(CommandLine& line);
void add_query_command(CommandLine& line);
void add_render_command(CommandLine& line);
void add_export_command(CommandLine& line);
void add_pack_command(CommandLine& line);
void add_report_command(CommandLine& line);
void add_layout_command(CommandLine& line);
void add_tree_command(CommandLine& line);
void add_compare_command(CommandLine& line);
void add_fleet_command(CommandLine& line);
void add_series_command(CommandLine& line);
void add_check_command(CommandLine& line);
void add_replay_command(CommandLine& line);
void add_serve_command(CommandLine& line);

}  // namespace snapviewer::cli

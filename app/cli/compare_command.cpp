#include "app/cli/compare_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/session.h"
#include "core/analysis/report/comparison_report.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

struct CompareOptions {
    std::string file_a;
    std::string file_b;
    std::optional<int> device_a;
    std::optional<int> device_b;
    std::string by = "stack";
    std::string basis = "all";
    bool json = false;
};

int run_compare(const CompareOptions& options) {
    Session session_a(options.file_a, {}, {options.file_b});
    DeviceAnalyses* a = session_a.open_analyses(options.device_a);
    if (a == nullptr) return session_a.status();
    Session session(options.file_b, session_a);
    DeviceAnalyses* b = session.open_analyses(options.device_b);
    if (b == nullptr) return session.status();
    const CompareBy by = compare_by_named(options.by).value_or(CompareBy::stack);
    const CompareBasis basis = compare_basis_named(options.basis).value_or(CompareBasis::all);
    if (options.json) {
        const auto json = caught(&session.progress(), [&] { return compare_json(*a, *b, by, basis); });
        if (!json) return session.report(json.error());
        session_a.report_import_log();
        session.report_import_log();
        return session.print(json->dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    const auto text = caught(&session.progress(), [&] { return compare_text(*a, *b, by, basis); });
    if (!text) return session.report(text.error());
    return session.print(terminal_text("A: " + shown_path(options.file_a)) + "\n" +
                         terminal_text("B: " + shown_path(options.file_b)) + "\n" + terminal_text(*text, LineFeeds::kept));
}

}  // namespace

void add_compare_command(CommandLine& line) {
    const auto options = std::make_shared<CompareOptions>();
    line.command("compare", "Show why the peak of one file is higher than that of another, by stack",
                 [options] { return run_compare(*options); })
        .value("A", options->file_a, "The first file", {.required = true, .is_file = true})
        .value("B", options->file_b, "The other", {.required = true, .is_file = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--by", options->by,
               "What allocations of both files are matched by: the whole stack, the stack without line numbers, its Python "
               "lines, the one line that stands for it, or the kind of memory",
               {.one_of = compare_by_names()})
        .value("--basis", options->basis,
               "What is compared: everything; only what was allocated during the recording; or only that, at the moment of "
               "its own peak",
               {.one_of = compare_basis_names()})
        .value("--device", options->device_a,
               "Device of A, as numbered in the file; by default the one that the window opens on", {.type_name = "N"})
        .value("--device2", options->device_b, "Device of B, likewise", {.type_name = "N"});
}

}  // namespace snapviewer

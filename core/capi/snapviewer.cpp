#include "core/capi/snapviewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/analysis/report/report.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/capi/library.h"
#include "core/document/document.h"
#include "core/load/remote/fetch.h"

namespace {

using namespace snapviewer;
using Json = nlohmann::ordered_json;

/// The result of an API call: success, an Error from core, or misuse of the interface.
struct CallOutcome {
    std::int32_t code = SV_OK;
    std::string message = {};
    std::optional<std::uint64_t> offset = {};

    static CallOutcome misuse(std::string message) { return {SV_MISUSE, std::move(message)}; }
};

std::int32_t code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::bad_file: return SV_BAD_FILE;
        case ErrorCode::unsupported:
        case ErrorCode::memory: return SV_UNSUPPORTED;
        case ErrorCode::io: return SV_IO;
        case ErrorCode::bad_query: return SV_BAD_QUERY;
        case ErrorCode::cancelled: return SV_STOPPED;
        case ErrorCode::environment: return SV_ENVIRONMENT;
    }
    return SV_MISUSE;
}

CallOutcome outcome_of(const Error& error) { return {code_of(error.code), error.text(), error.offset}; }

void fill_error(const CallOutcome& outcome, sv_error* error) {
    if (error == nullptr) return;
    const std::string text = shortened(valid_utf8(outcome.message), sizeof error->message - 1);
    error->code = outcome.code;
    error->offset = outcome.offset ? static_cast<std::int64_t>(*outcome.offset) : -1;
    std::memcpy(error->message, text.c_str(), text.size() + 1);
}

/// Runs the body of an API function and fills `error`. Converts every exception to an error code.
template <typename Work>
std::int32_t answer(sv_error* error, Work work) noexcept {
    try {
        CallOutcome outcome;
        try {
            outcome = work();
        } catch (const Failure& thrown) {
            outcome = outcome_of(thrown.error);
        } catch (const std::system_error& thrown) {
            outcome = outcome_of(error_of(thrown));
        }
        fill_error(outcome, error);
        return outcome.code;
    } catch (const std::exception& thrown) {
        if (error != nullptr) {
            error->code = SV_ENVIRONMENT;
            error->offset = -1;
            const bool is_memory = dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr;
            std::strncpy(error->message, is_memory ? "needs more memory than is available" : thrown.what(),
                         sizeof error->message - 1);
            error->message[sizeof error->message - 1] = '\0';
        }
        return SV_ENVIRONMENT;
    }
}

/// Like answer(), but for functions on an open document: passes the document to `work`, or reports SV_MISUSE if the handle
/// is not open.
template <typename Work>
std::int32_t answer_of(sv_document number, sv_error* error, Work work) noexcept {
    return answer(error, [&]() -> CallOutcome {
        std::shared_ptr<OpenDocument> document = OpenDocuments::all().find(number);
        return document ? work(std::move(document)) : CallOutcome::misuse("the document is closed or was never open");
    });
}

CallOutcome give_json(const Json& json, char** out) {
    if (out == nullptr) return CallOutcome::misuse("the pointer for the text is NULL");
    const std::string text = json_text(json);
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    *out = copy;
    return {};
}

Result<Json> report_of(const Document& document) {
    std::vector<std::shared_ptr<const Timeline>> timelines;
    for (const DeviceView& device : document.devices) timelines.push_back(device.timeline);
    const findings::Analyses analyses(*document.snapshot, timelines, {});
    Json report = {{"version", 1}, {"devices", Json::array()}};
    for (std::size_t index = 0; index < document.devices.size(); ++index) {
        report["devices"].push_back(report::device_report_json(analyses.device(index)));
    }
    return report;
}

Json describe_table(const sqlite::TableDoc& table) {
    const auto column_json = [](const ColumnDoc& column) {
        return Json{{"name", column.name}, {"type", column.type}, {"text", column.text}};
    };
    return {{"name", table.name},
            {"text", table.text},
            {"schema", table.schema},
            {"columns", json_array(table.columns, column_json)}};
}

Result<query::QueryParameter> read_parameter(std::string name, const Json& value) {
    if (value.is_null()) return query::QueryParameter{std::move(name), {}};
    if (value.is_boolean()) return query::QueryParameter{std::move(name), std::int64_t{value.get<bool>()}};
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        return Error{ErrorCode::bad_query,
                     fmt::format("the value of the parameter {} does not fit into a signed 64-bit integer", name)};
    if (value.is_number_integer()) return query::QueryParameter{std::move(name), value.get<std::int64_t>()};
    if (value.is_number()) return query::QueryParameter{std::move(name), value.get<double>()};
    if (value.is_string()) return query::QueryParameter{std::move(name), value.get<std::string>()};
    return Error{ErrorCode::bad_query, fmt::format("the value of the parameter {} is a list or an object", name)};
}

Result<std::vector<query::QueryParameter>> read_parameters(const char* text) {
    std::vector<query::QueryParameter> parameters;
    if (text == nullptr) return parameters;
    const Json json = parse_ordered_json(text);
    if (!json.is_object() && !json.is_array())
        return Error{ErrorCode::bad_query, "the parameters are neither a JSON object nor a JSON array"};
    std::size_t number = 0;
    for (const auto& [key, value] : json.items()) {
        ++number;
        Result<query::QueryParameter> parameter = read_parameter(json.is_array() ? std::to_string(number) : key, value);
        if (!parameter) return parameter.error();
        parameters.push_back(std::move(*parameter));
    }
    return parameters;
}

}  // namespace

uint32_t sv_abi_version(void) { return SV_ABI_VERSION; }

const char* sv_version(void) { return SNAPVIEWER_VERSION; }

const char* sv_sandbox(void) {
    try {
        return library_sandbox_note().c_str();
    } catch (const std::exception&) {
        return "off: it could not be tried, because there was not enough memory or no thread could be started";
    }
}

int32_t sv_open(uint32_t abi_version, const char* path, const char* with, sv_progress progress, void* context,
                sv_document* document, sv_error* error) {
    return answer(error, [&]() -> CallOutcome {
        if (abi_version != SV_ABI_VERSION) {
            return CallOutcome::misuse(fmt::format(
                "the library has version {} of snapviewer's C interface, but the caller was built for version {}",
                SV_ABI_VERSION, abi_version));
        }
        if (path == nullptr || document == nullptr)
            return CallOutcome::misuse("the path or the pointer for the document is NULL");
        // Fetching starts here, outside the sandbox, because the thread that reads the file cannot start programs. Together
        // with a second file, a remote file is not fetched; reading it then fails.
        const bool is_fetched = with == nullptr && !is_remote_folder(path);
        const Status fetched = is_fetched ? remote::start_fetch(path, ChildProgram::Terminal::shared) : Status();
        if (!fetched) return outcome_of(fetched.error());
        Progress work;
        const auto opened = run_with_callback({progress, context}, work, [&] {
            return open_document(path, {.mesh = false, .with = with == nullptr ? "" : with}, work);
        });
        if (!opened) return outcome_of(opened.error());
        *document = OpenDocuments::all().add(std::make_shared<OpenDocument>(*opened));
        return {};
    });
}

int32_t sv_close(sv_document document, sv_error* error) {
    return answer_of(document, error, [&](const auto&) {
        OpenDocuments::all().remove(document);
        return CallOutcome{};
    });
}

int32_t sv_info(sv_document document, char** json, sv_error* error) {
    return answer_of(document, error, [&](const auto& open) { return give_json(document_facts(open->document()), json); });
}

int32_t sv_report(sv_document document, char** json, sv_error* error) {
    return answer_of(document, error, [&](const auto& open) {
        const Result<Json> report = begin_in_sandbox([&] { return report_of(open->document()); }).get();
        return report ? give_json(*report, json) : outcome_of(report.error());
    });
}

int32_t sv_tables(sv_document document, char** json, sv_error* error) {
    return answer_of(document, error, [&](const auto& open) {
        return give_json(json_array(open->document().database->schema(), describe_table), json);
    });
}

void sv_free_text(char* text) { std::free(text); }

int32_t sv_query(sv_document document, const char* sql, const char* parameters_json, double max_seconds,
                 sv_progress progress, void* context, ArrowArrayStream* stream, sv_error* error) {
    return answer_of(document, error, [&](std::shared_ptr<OpenDocument> open) -> CallOutcome {
        if (sql == nullptr || stream == nullptr) return CallOutcome::misuse("the SQL or the pointer for the stream is NULL");
        if (!(max_seconds >= 0)) return CallOutcome::misuse("the time limit is negative");
        Result<std::vector<query::QueryParameter>> parameters = read_parameters(parameters_json);
        if (!parameters) return outcome_of(parameters.error());
        const double limit_s = max_seconds == 0 ? std::numeric_limits<double>::max() : max_seconds;
        auto query = QueryStream::start(std::move(open), {sql, std::move(*parameters), limit_s}, {progress, context});
        if (!query) return outcome_of(query.error());
        export_stream(std::move(*query), *stream);
        return {};
    });
}

int32_t sv_table(sv_document document, const char* table, sv_progress progress, void* context, ArrowArrayStream* stream,
                 sv_error* error) {
    return answer_of(document, error, [&](std::shared_ptr<OpenDocument> open) -> CallOutcome {
        if (table == nullptr || stream == nullptr)
            return CallOutcome::misuse("the table or the pointer for the stream is NULL");
        if (*table == '\0') return CallOutcome::misuse("the name of the table is empty");
        auto scan = QueryStream::start(std::move(open), {.table = table}, {progress, context});
        if (!scan) return outcome_of(scan.error());
        export_stream(std::move(*scan), *stream);
        return {};
    });
}

void sv_stop(ArrowArrayStream* stream) {
    if (QueryStream* const query = query_of(stream)) query->stop();
}

// Calls functions of the C interface in the order that the input determines, with valid and invalid arguments. Requires that
// an error has a message and leaves the output arguments unchanged, that a text is JSON, and that a batch matches its
// schema.
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/capi/snapviewer.h"
#include "tests/fuzz/byte_feed.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/unit/pickle_text.h"

namespace snapviewer::fuzz {
namespace {

constexpr int k_max_calls = 40;
constexpr int k_max_queries = 4;
constexpr double k_max_seconds = 0.5;  // of a query
constexpr std::int64_t k_max_rows = 65536;
constexpr std::array k_statements = {
    "SELECT * FROM allocations",
    "SELECT id, size, stack FROM allocations WHERE size > :least ORDER BY size DESC",
    "SELECT count(*), sum(size), avg(size), group_concat(action) FROM events",
    "SELECT NULL AS nothing, x'00ff' AS blob, 'text' AS text, 1.5 AS number, ? AS given",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'row ' || i FROM n",
    "SELECT CASE WHEN id > 2 THEN 'a text' ELSE id END AS mixed FROM events",
    "SELECT * FROM events WHERE 0",
    "DELETE FROM events",
};
constexpr std::array<const char*, 5> k_parameters = {nullptr, R"({"least": 100})", R"({":least": "text"})", "[null]",
                                                     "[1.5, 2]"};

const char* file_path() {
    static const test::ScratchFile file([] {
        test::PickleText events;
        for (std::uint64_t i = 1; i < 20; ++i)
            events.event(i % 3 == 0 ? "free_completed" : "alloc", 0x1000 * (i / 3 + 1), 64 * i);
        return test::PickleText::snapshot_of(events).bytes();
    }());
    static const std::string path = file.path();
    return path.c_str();
}

/// Progress callback that requests a stop after a number of calls.
std::int32_t lose_patience(void* calls_left, const char* stage, double fraction) {
    require(stage != nullptr && fraction >= 0 && fraction <= 1, "a callback is told where the work stands");
    return (*static_cast<int*>(calls_left))-- <= 0 ? 1 : 0;
}

bool is_null(const ArrowArray& column, std::int64_t row) {
    const auto* bits = static_cast<const std::uint8_t*>(column.buffers[0]);
    return bits != nullptr && (bits[row / 8] >> (row % 8) & 1) == 0;
}

/// Reads all values of a column, so that a sanitizer checks every access.
void check_column(const ArrowSchema& type, const ArrowArray& column, std::int64_t rows) {
    require(column.length == rows && column.offset == 0 && column.n_children == 0, "a column has all rows");
    if (std::strcmp(type.format, "n") == 0) {
        require(column.null_count == rows && column.n_buffers == 0, "a column of nothing is all null");
        return;
    }
    std::int64_t nulls = 0;
    for (std::int64_t row = 0; row < rows; ++row) nulls += is_null(column, row) ? 1 : 0;
    require(nulls == column.null_count, "as many are null as is said");
    const bool has_bytes = std::strcmp(type.format, "u") == 0 || std::strcmp(type.format, "z") == 0;
    require(column.n_buffers == (has_bytes ? 3 : 2), "a column has the buffers of its type");
    if (has_bytes) {
        const auto* ends = static_cast<const std::int32_t*>(column.buffers[1]);
        require(ends[0] >= 0 && std::is_sorted(ends, ends + rows + 1), "texts follow one another");
        const auto* bytes = static_cast<const char*>(column.buffers[2]);
        const std::string copy(bytes + ends[0], bytes + ends[rows]);
        require(copy.size() == static_cast<std::size_t>(ends[rows] - ends[0]), "texts are as long as is said");
    } else {
        const auto* numbers = static_cast<const std::uint64_t*>(column.buffers[1]);
        const std::vector<std::uint64_t> copy(numbers, numbers + rows);
        require(copy.size() == static_cast<std::size_t>(rows), "there are as many numbers as rows");
    }
}

/// An Arrow stream and its state.
struct Rows {
    ArrowArrayStream stream{};
    bool was_stopped = false;
    bool has_ended = false;  ///< by its last batch or an error

    ~Rows() {
        if (stream.release != nullptr) stream.release(&stream);
    }
};

ArrowSchema schema_of(Rows& rows) {
    ArrowSchema schema{};
    require(rows.stream.get_schema(&rows.stream, &schema) == 0, "a stream that was begun has a schema");
    require(std::strcmp(schema.format, "+s") == 0 && schema.n_children > 0, "rows are structs of columns");
    return schema;
}

void take_batch(Rows& rows) {
    ArrowArray batch{};
    const int code = rows.stream.get_next(&rows.stream, &batch);
    require(!rows.was_stopped || code != 0, "a stopped stream gives nothing more");
    if (code != 0) {
        require(batch.release == nullptr && rows.stream.get_last_error(&rows.stream) != nullptr, "an error has words");
        rows.has_ended = true;
        return;
    }
    if (batch.release == nullptr) {
        rows.has_ended = true;
        return;
    }
    require(!rows.has_ended, "nothing comes after the last batch");
    ArrowSchema schema = schema_of(rows);
    require(batch.length > 0 && batch.length <= k_max_rows && batch.n_children == schema.n_children,
            "a batch has rows of all columns");
    for (std::int64_t column = 0; column < batch.n_children; ++column)
        check_column(*schema.children[column], *batch.children[column], batch.length);
    batch.release(&batch);
    schema.release(&schema);
    require(batch.release == nullptr && schema.release == nullptr, "what is released says so");
}

/// All documents and streams of one input.
class Calls {
public:
    explicit Calls(ByteFeed feed) : feed_(feed) {}
    ~Calls() {
        for (const sv_document document : documents_) sv_close(document, nullptr);
    }

    void run() {
        for (int call = 0; call < k_max_calls && !feed_.at_end(); ++call) {
            switch (feed_.byte() % 9) {
                case 0: open(); break;
                case 1: close(); break;
                case 2: ask_for_text(); break;
                case 3:
                case 4: query(); break;
                case 5:
                case 6: with_stream(take_batch); break;
                case 7:
                    with_stream([](Rows& rows) {
                        sv_stop(&rows.stream);
                        rows.was_stopped = true;
                    });
                    break;
                default: with_stream([](Rows& rows) { rows.stream.release(&rows.stream); }); break;
            }
            std::erase_if(streams_, [](const std::unique_ptr<Rows>& rows) { return rows->stream.release == nullptr; });
        }
    }

private:
    void check(std::int32_t code, const sv_error& error) const {
        require(code >= SV_OK && code <= SV_MISUSE, "a code is one of the header's");
        if (code == SV_OK) return;
        const std::size_t words = ::strnlen(error.message, sizeof(error.message));
        require(error.code == code && error.offset >= -1 && words > 0 && words < sizeof(error.message),
                "an error has words");
    }

    /// Returns the number of an open document in most cases, else any number.
    sv_document any_document() {
        const std::uint8_t which = feed_.byte();
        if (which >= 250 || documents_.empty()) return which;
        return documents_[which % documents_.size()];
    }

    void open() {
        const std::uint8_t how = feed_.byte();
        int patience = how % 3;
        sv_error error{};
        sv_document document = 0;
        const std::int32_t code =
            sv_open(how % 16 == 15 ? how : SV_ABI_VERSION, how % 16 == 14 ? "/no such file" : file_path(), nullptr,
                    how % 4 == 3 ? lose_patience : nullptr, &patience, &document, &error);
        check(code, error);
        require((code == SV_OK) == (document != 0), "a document is there if it was opened");
        if (code == SV_OK) documents_.push_back(document);
    }

    void close() {
        const sv_document document = any_document();
        sv_error error{};
        const std::int32_t code = sv_close(document, &error);
        check(code, error);
        require((code == SV_OK) == (std::erase(documents_, document) > 0), "what is open can be closed, once");
    }

    void ask_for_text() {
        constexpr std::array k_functions = {sv_info, sv_report, sv_tables};
        const sv_document document = any_document();
        sv_error error{};
        char* text = nullptr;
        const std::int32_t code = k_functions[feed_.byte() % k_functions.size()](document, &text, &error);
        check(code, error);
        require((code == SV_OK) == (text != nullptr), "a text is there if there is no error");
        if (text != nullptr) require(nlohmann::json::accept(text), "a text is JSON");
        sv_free_text(text);
    }

    void query() {
        if (queries_++ >= k_max_queries) return;
        const sv_document document = any_document();
        const std::uint8_t how = feed_.byte();
        int patience = how % 3;
        const std::string given = how >= 192 ? rest_of_line() : std::string();
        const std::string values = how >= 224 ? rest_of_line() : std::string();
        const char* const sql = how >= 192 ? given.c_str() : k_statements[how % k_statements.size()];
        const char* const parameters = how >= 224 ? values.c_str() : k_parameters[feed_.byte() % k_parameters.size()];
        auto rows = std::make_unique<Rows>();
        sv_error error{};
        const std::int32_t code = sv_query(document, sql, parameters, how == 100 ? -1 : k_max_seconds,
                                           how % 8 == 7 ? lose_patience : nullptr, &patience, &rows->stream, &error);
        check(code, error);
        require((code == SV_OK) == (rows->stream.release != nullptr), "a stream is there if there is no error");
        if (code == SV_OK) streams_.push_back(std::move(rows));
    }

    std::string rest_of_line() {
        std::string line;
        while (!feed_.at_end()) {
            const auto next = static_cast<char>(feed_.byte());
            if (next == '\n' || next == '\0') break;
            line += next;
        }
        return line;
    }

    template <typename Use>
    void with_stream(Use use) {
        if (!streams_.empty()) use(*streams_[feed_.byte() % streams_.size()]);
    }

    ByteFeed feed_;
    std::vector<sv_document> documents_;
    std::vector<std::unique_ptr<Rows>> streams_;
    int queries_ = 0;
};

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    Calls(ByteFeed(data, size)).run();
    return 0;
}

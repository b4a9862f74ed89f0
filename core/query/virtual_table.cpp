#include "core/query/virtual_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>

#include "core/sqlite/connection.h"

namespace snapviewer::query {
namespace {

constexpr std::size_t k_max_cached_matches = 8;
constexpr std::uint32_t k_lookups_before_sorting = 3;
/// Rows are tested in blocks. The first blocks are small, because a query may need no more than the first row.
constexpr std::size_t k_first_block = 32;
constexpr std::size_t k_max_block = 1024;

/// Mark behind all comparisons of a plan. It means that the last argument is the maximum number of rows.
constexpr char k_has_limit = 'L';

/// One comparison of a plan, encoded as two characters in sqlite3_index_info::idxStr.
struct PlannedTest {
    int column;
    ConstraintOperator comparison;

    static constexpr char k_code_offset = 'A';
    void append_to(std::string& plan) const {
        plan += static_cast<char>(k_code_offset + column + 1);
        plan += static_cast<char>(comparison);
    }
    static PlannedTest read(const char* plan) {
        return {plan[0] - k_code_offset - 1, static_cast<ConstraintOperator>(plan[1])};
    }
};

/// Encodes the row order that SQLite asks for, for sqlite3_index_info::idxNum: 0 for any, else column + 1, negative if
/// descending.
int encode_order(std::size_t column, bool descending) {
    const int number = static_cast<int>(column) + 1;
    return descending ? -number : number;
}

/// Returns a column by SQLite's number. The column "rowid" is the row number, which some tables also show as their id.
const Column& column_of(const Table& table, int column) {
    static const Column k_row_numbers = row_number_column("rowid", "");
    return column == k_row_number ? k_row_numbers : table.columns[static_cast<std::size_t>(column)];
}

std::optional<ConstraintOperator> comparison_of(unsigned char operation, bool is_text) {
    switch (operation) {
        case SQLITE_INDEX_CONSTRAINT_EQ: return ConstraintOperator::equal;
        case SQLITE_INDEX_CONSTRAINT_ISNULL: return ConstraintOperator::null;
        case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return ConstraintOperator::not_null;
        case SQLITE_INDEX_CONSTRAINT_LIKE: return is_text ? std::optional(ConstraintOperator::like) : std::nullopt;
        case SQLITE_INDEX_CONSTRAINT_GLOB: return is_text ? std::optional(ConstraintOperator::glob) : std::nullopt;
        default: break;
    }
    if (is_text) return std::nullopt;
    switch (operation) {
        case SQLITE_INDEX_CONSTRAINT_LT: return ConstraintOperator::less;
        case SQLITE_INDEX_CONSTRAINT_LE: return ConstraintOperator::at_most;
        case SQLITE_INDEX_CONSTRAINT_GT: return ConstraintOperator::greater;
        case SQLITE_INDEX_CONSTRAINT_GE: return ConstraintOperator::at_least;
        default: return std::nullopt;
    }
}

/// Gives a plan to SQLite, which frees the text.
int set_plan(sqlite3_index_info* info, const std::string& plan) {
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int plan_scan(const VirtualTable& source, sqlite3_index_info* info) {
    const Table& table = source.table();
    RowEstimate estimate(table.row_count());
    std::string plan;
    int arguments = 0;
    int limit = -1;
    bool tests_all = true;  // false if SQLite itself drops rows, by other tests or by an OFFSET
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT) {
            limit = constraint.usable != 0 ? i : -1;
            continue;
        }
        const Column& column = column_of(table, constraint.iColumn);
        const auto comparison = constraint.usable != 0 ? comparison_of(constraint.op, column.is_text()) : std::nullopt;
        const bool equal_text = column.is_text() && comparison == ConstraintOperator::equal;
        tests_all = tests_all && comparison && !equal_text;
        if (!comparison) continue;
        if (equal_text && sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
        PlannedTest{constraint.iColumn, *comparison}.append_to(plan);
        info->aConstraintUsage[i].argvIndex = ++arguments;
        // SQLite converts the value that a text is compared with, by rules that depend on both sides. So SQLite repeats this
        // test.
        info->aConstraintUsage[i].omit = equal_text ? 0 : 1;
        estimate.narrow(column, *comparison);
        if (column.order == ColumnOrder::row_number && *comparison == ConstraintOperator::equal) {
            info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
        }
    }
    if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn >= 0) {
        const auto column = static_cast<std::size_t>(info->aOrderBy[0].iColumn);
        if (column < table.columns.size() && !table.columns[column].is_text()) {
            info->idxNum = encode_order(column, info->aOrderBy[0].desc != 0);
            info->orderByConsumed = 1;
        }
    }
    if (limit >= 0 && tests_all && info->orderByConsumed != 0) {
        plan += k_has_limit;
        info->aConstraintUsage[limit].argvIndex = ++arguments;
    }
    const bool may_be_part_of_or = info->nConstraint == 1;
    info->estimatedCost = estimate.cost() + (info->orderByConsumed != 0 ? estimate.order_cost(may_be_part_of_or) : 0);
    info->estimatedRows = static_cast<sqlite3_int64>(estimate.found());
    return set_plan(info, plan);
}

/// Iterates over the rows that pass all tests, either of a range of row numbers or of a list of rows.
class Cursor final : public sqlite3_vtab_cursor {
public:
    explicit Cursor(VirtualTable& source)
        : sqlite3_vtab_cursor{}, source_(source), ahead_(source.table().columns.size() + 1) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    int filter(int order, const char* plan, int count, sqlite3_value** values) {
        tests_.clear();
        list_ = nullptr;
        at_ = 0;
        end_ = source_.table().row_count();
        block_ = k_first_block;
        const ColumnTest* lookup = nullptr;
        const bool has_limit = count > 0 && plan[2 * (count - 1)] == k_has_limit;
        if (has_limit) --count;
        if (!prepare_columns(order, plan, count)) return SQLITE_INTERRUPT;
        tests_.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i, plan += 2) {
            const PlannedTest planned = PlannedTest::read(plan);
            const ColumnTest test = make_test(planned, values[i]);
            if (!test.column->is_text() && test.column->order != ColumnOrder::none) {
                narrow_range(test);
                continue;
            }
            tests_.push_back(test);
            if (!test.column->is_text() && planned.comparison == ConstraintOperator::equal) lookup = &tests_.back();
        }
        if (lookup != nullptr) use_lookup(*lookup);
        if (order != 0) return list_in_order(order, has_limit ? rows_within(values[count]) : k_all_rows);
        return find_more();
    }

    int next() { return ++match_ < matches_.size() ? SQLITE_OK : find_more(); }
    bool at_end() const { return match_ >= matches_.size(); }
    std::size_t row() const { return matches_[match_]; }

    int write(sqlite3_context* context, int index) {
        if (const std::optional<std::int64_t>* known = known_integer(index)) {
            if (*known) sqlite3_result_int64(context, **known);
            return SQLITE_OK;
        }
        const Column& column = column_of(source_.table(), index);
        if (!source_.prepare(column)) return SQLITE_INTERRUPT;
        if (column.is_text()) {
            if (const std::uint32_t code = column.code(row()); code != k_null_code) {
                const DictionaryText text = column.dictionary->text(code);
                // An empty view may hold a null pointer, which SQLite would take for NULL.
                sqlite3_result_text64(context, text.text.empty() ? "" : text.text.data(), text.text.size(),
                                      text.lasting ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
            }
        } else if (const std::optional<std::int64_t> value = integer(column, index)) {
            sqlite3_result_int64(context, *value);
        }
        return SQLITE_OK;
    }

private:
    /// Values of one column that were read ahead for rows of the last block.
    struct ReadAhead {
        std::size_t block = 0;             ///< Number of the block that the values belong to
        std::size_t next = 0;              ///< Index after the row that was read last
        std::size_t first = 0, count = 0;  ///< Rows of the block whose values were read
        std::vector<std::optional<std::int64_t>> values;
    };

    /// Returns a value of the current row if it was read together with the rows before it, else null.
    const std::optional<std::int64_t>* known_integer(int index) const {
        const ReadAhead& ahead = ahead_[static_cast<std::size_t>(index + 1)];
        const std::size_t at = match_ - ahead.first;
        return ahead.block == block_number_ && at < ahead.count ? &ahead.values[at] : nullptr;
    }
    /// Returns a value of the current row. If rows are read one after another, reads the rest of the block with one call.
    std::optional<std::int64_t> integer(const Column& column, int index) {
        ReadAhead& ahead = ahead_[static_cast<std::size_t>(index + 1)];
        if (std::exchange(ahead.block, block_number_) != block_number_) ahead.count = 0;
        if (std::exchange(ahead.next, match_ + 1) != match_) return column.integer(row());
        ahead.first = match_;
        ahead.count = matches_.size() - match_;
        ahead.values.resize(std::max(ahead.values.size(), ahead.count));
        column.integers(std::span(matches_).subspan(match_), std::span(ahead.values).first(ahead.count));
        return ahead.values.front();
    }

    /// Prepares the columns that the tests and the order read. False if the query was stopped.
    bool prepare_columns(int order, const char* plan, int count) {
        for (int i = 0; i < count; ++i) {
            if (!source_.prepare(column_of(source_.table(), PlannedTest::read(plan + 2 * i).column))) return false;
        }
        return order == 0 || source_.prepare(column_of(source_.table(), std::abs(order) - 1));
    }

    ColumnTest make_test(PlannedTest planned, sqlite3_value* value) {
        ColumnTest test{.column = &column_of(source_.table(), planned.column)};
        if (planned.comparison == ConstraintOperator::null || planned.comparison == ConstraintOperator::not_null) {
            test.wants_null = planned.comparison == ConstraintOperator::null;
        } else if (!test.column->is_text()) {
            test.interval = interval_of(planned.comparison, value);
        } else if (sqlite3_value_type(value) == SQLITE_NULL) {
            at_ = end_ = 0;
        } else if (planned.comparison != ConstraintOperator::equal || sqlite3_value_type(value) == SQLITE_TEXT) {
            const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
            const auto length = static_cast<std::size_t>(sqlite3_value_bytes(value));
            test.match =
                source_.text_match(*test.column, planned.comparison, text == nullptr ? "" : std::string(text, length));
        }
        return test;
    }

    /// Narrows the range of rows with a test of a column whose values never fall from row to row.
    void narrow_range(const ColumnTest& test) {
        if (test.wants_null || test.interval.low > test.interval.high) {
            end_ = at_;
            return;
        }
        const auto first_row_from = [&](std::int64_t value) {
            if (test.column->order == ColumnOrder::row_number) {
                return value <= 0 ? 0 : std::min(source_.table().row_count(), static_cast<std::size_t>(value));
            }
            const auto rows = std::views::iota(at_, end_);
            return at_ + static_cast<std::size_t>(
                             std::ranges::lower_bound(rows, value, {},
                                                      [&](std::size_t row) { return *test.column->integer(row); }) -
                             rows.begin());
        };
        const std::size_t first = first_row_from(test.interval.low);
        if (test.interval.high != std::numeric_limits<std::int64_t>::max()) {
            end_ = std::min(end_, first_row_from(test.interval.high + 1));
        }
        at_ = std::min(end_, std::max(at_, first));
    }

    /// Replaces the range with the rows that hold one particular value, if the sorted rows of the column are available.
    void use_lookup(const ColumnTest& test) {
        const std::vector<std::uint32_t>* rows = source_.lookup_rows(*test.column);
        if (rows == nullptr) return;
        const auto value = [&](std::uint32_t row) { return *test.column->integer(row); };
        const auto equal = std::ranges::equal_range(*rows, test.interval.low, {}, value);
        const bool is_possible = test.interval.is_single();
        const auto first = is_possible ? std::ranges::lower_bound(equal, at_) : equal.end();
        const auto last = is_possible ? std::ranges::lower_bound(equal, end_) : equal.end();
        list_ = rows->data();
        at_ = static_cast<std::size_t>(first - rows->begin());
        end_ = static_cast<std::size_t>(last - rows->begin());
    }

    static constexpr std::size_t k_all_rows = std::numeric_limits<std::size_t>::max();

    /// Returns the maximum number of rows of the query. A negative LIMIT means no limit.
    static std::size_t rows_within(sqlite3_value* limit) {
        const sqlite3_int64 count = sqlite3_value_int64(limit);
        return sqlite3_value_type(limit) == SQLITE_INTEGER && count >= 0 ? static_cast<std::size_t>(count) : k_all_rows;
    }

    int list_in_order(int order, std::size_t at_most) {
        const std::size_t column = static_cast<std::size_t>(order < 0 ? -order : order) - 1;
        std::vector<std::uint32_t> rows;
        int status = find_more();
        for (; status == SQLITE_OK && !at_end(); status = find_more()) {
            rows.insert(rows.end(), matches_.begin(), matches_.end());
        }
        if (status != SQLITE_OK) return status;
        sort_rows(rows, source_.table().columns[column], order < 0, at_most);
        ordered_rows_ = std::move(rows);
        tests_.clear();
        list_ = ordered_rows_.data();
        at_ = 0;
        end_ = ordered_rows_.size();
        return find_more();
    }

    /// Finds the next rows that pass all tests. Finds none at the end.
    int find_more() {
        matches_.clear();
        match_ = 0;
        ++block_number_;
        while (matches_.empty() && at_ < end_) {
            if (source_.control().must_end()) return SQLITE_INTERRUPT;
            take_candidates();
            for (const ColumnTest& test : tests_) test.keep_accepted(matches_, values_);
        }
        return SQLITE_OK;
    }

    void take_candidates() {
        matches_.resize(std::min(block_, end_ - at_));
        if (list_ == nullptr)
            std::iota(matches_.begin(), matches_.end(), at_);
        else
            std::copy_n(list_ + at_, matches_.size(), matches_.begin());
        at_ += matches_.size();
        block_ = std::min(2 * block_, k_max_block);
    }

    VirtualTable& source_;
    std::vector<ColumnTest> tests_;
    const std::uint32_t* list_ = nullptr;
    std::vector<std::uint32_t> ordered_rows_;
    std::size_t at_ = 0;  ///< Index of the next row to test, in the range or in list_
    std::size_t end_ = 0;
    std::size_t block_ = k_first_block;
    std::vector<std::size_t> matches_;  ///< Rows of the last block that passed all tests
    std::size_t match_ = 0;
    std::size_t block_number_ = 0;
    std::vector<std::optional<std::int64_t>> values_;  ///< Scratch space: values of one column in one block
    std::vector<ReadAhead> ahead_;                     ///< Indexed by column + 1; element 0 is the row number
};

/// Plans a scan. The plan has one character per given argument: the number of its parameter.
int plan_scan(const VirtualTableFunction& source, sqlite3_index_info* info) {
    constexpr double k_usual_rows = 1e5;  // assumed, because the count is unknown before the rows are computed
    std::string plan;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const int parameter = constraint.iColumn - static_cast<int>(source.table.columns.size());
        if (parameter < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (constraint.usable == 0) return SQLITE_CONSTRAINT;  // SQLite has to read the argument's table first
        plan += static_cast<char>('0' + parameter);
        info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());
        info->aConstraintUsage[i].omit = 1;
    }
    info->estimatedCost = k_usual_rows;
    info->estimatedRows = static_cast<sqlite3_int64>(k_usual_rows);
    return set_plan(info, plan);
}

Cell argument_of(sqlite3_value* value) {
    switch (sqlite3_value_type(value)) {
        case SQLITE_INTEGER: return std::int64_t{sqlite3_value_int64(value)};
        case SQLITE_FLOAT: return sqlite3_value_double(value);
        case SQLITE_TEXT:
            return std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                               static_cast<std::size_t>(sqlite3_value_bytes(value)));
        default: return std::monostate{};
    }
}

/// Iterates over all rows of a table function; SQLite filters them.
class FunctionCursor final : public sqlite3_vtab_cursor {
public:
    explicit FunctionCursor(VirtualTableFunction& source) : sqlite3_vtab_cursor{}, source_(source) {}

    int filter(int, const char* plan, int count, sqlite3_value** values) {
        std::vector<Cell> arguments(source_.table.parameters.size());
        for (int i = 0; i < count; ++i) arguments[static_cast<std::size_t>(plan[i] - '0')] = argument_of(values[i]);
        row_ = 0;
        rows_ = nullptr;
        auto made = source_.control.caught_as_job([&] { return source_.table.make(arguments); });
        if (made) {
            rows_ = std::move(*made);
            return source_.control.must_end() ? SQLITE_INTERRUPT : SQLITE_OK;
        }
        if (made.error().code == ErrorCode::cancelled) return SQLITE_INTERRUPT;
        if (made.error().code == ErrorCode::memory) return SQLITE_NOMEM;
        sqlite3_free(pVtab->zErrMsg);
        pVtab->zErrMsg = sqlite3_mprintf("%s", made.error().message.c_str());
        return SQLITE_ERROR;
    }

    int next() {
        constexpr std::size_t k_rows_between_checks = 4096;
        const bool is_check_due = ++row_ % k_rows_between_checks == 0;
        return is_check_due && source_.control.must_end() ? SQLITE_INTERRUPT : SQLITE_OK;
    }
    bool at_end() const { return rows_ == nullptr || row_ >= rows_->count(); }
    std::size_t row() const { return row_; }

    int write(sqlite3_context* context, int index) const {
        const auto column = static_cast<std::size_t>(index);
        if (column >= source_.table.columns.size()) return SQLITE_OK;
        const Cell cell = rows_->cell(row_, column);
        if (const auto* integer = std::get_if<std::int64_t>(&cell)) sqlite3_result_int64(context, *integer);
        if (const auto* real = std::get_if<double>(&cell)) sqlite3_result_double(context, *real);
        if (const auto* text = std::get_if<std::string>(&cell))
            sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        return SQLITE_OK;
    }

private:
    VirtualTableFunction& source_;
    std::shared_ptr<const FunctionRows> rows_;
    std::size_t row_ = 0;
};

/// Returns the columns as "name TYPE, ..." for a CREATE TABLE statement.
std::string declarations(const std::vector<ColumnDoc>& columns, const char* after_each) {
    std::string text;
    for (const ColumnDoc& column : columns)
        text += (text.empty() ? "\"" : ", \"") + column.name + "\" " + column.type + after_each;
    return text;
}

std::string declarations_of(const VirtualTable& source) {
    std::vector<ColumnDoc> columns;
    for (const Column& column : source.table().columns) columns.push_back({column.name, sql_type(column.unit), ""});
    return declarations(columns, "");
}
std::string declarations_of(const VirtualTableFunction& source) {
    const std::string parameters = declarations(source.table.parameters, " HIDDEN");
    return declarations(source.table.columns, "") + (parameters.empty() ? "" : ", ") + parameters;
}

const std::string& name_of(const VirtualTable& source) { return source.table().name; }
const std::string& name_of(const VirtualTableFunction& source) { return source.table.name; }

/// The callbacks of the SQLite module for tables of type Source, whose rows a RowCursor reads.
template <typename Source, typename RowCursor>
struct Module {
    struct Connected : sqlite3_vtab {
        explicit Connected(Source& the_source) : sqlite3_vtab{}, source(the_source) {}
        Source& source;
    };

    static RowCursor& cursor(sqlite3_vtab_cursor* cursor) { return *static_cast<RowCursor*>(cursor); }

    static int connect(sqlite3* connection, void* client, int, const char* const* arguments, sqlite3_vtab** vtab, char**) {
        auto& source = *static_cast<Source*>(client);
        // SQLite offers each table under the name of its module, too, and then calls this function with that name.
        if (name_of(source) != arguments[2]) return SQLITE_ERROR;
        const std::string declaration = "CREATE TABLE x(" + declarations_of(source) + ")";
        if (const int status = sqlite3_declare_vtab(connection, declaration.c_str()); status != SQLITE_OK) return status;
        sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
        *vtab = new Connected(source);
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* vtab) {
        delete static_cast<Connected*>(vtab);
        return SQLITE_OK;
    }
    static int plan(sqlite3_vtab* vtab, sqlite3_index_info* info) {
        return plan_scan(static_cast<Connected*>(vtab)->source, info);
    }
    static int open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** cursor) {
        *cursor = new RowCursor(static_cast<Connected*>(vtab)->source);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* at) {
        delete &cursor(at);
        return SQLITE_OK;
    }
    static int filter(sqlite3_vtab_cursor* at, int order, const char* plan, int count, sqlite3_value** values) {
        return cursor(at).filter(order, plan, count, values);
    }
    static int next(sqlite3_vtab_cursor* at) { return cursor(at).next(); }
    static int at_end(sqlite3_vtab_cursor* at) { return cursor(at).at_end() ? 1 : 0; }
    static int write(sqlite3_vtab_cursor* at, sqlite3_context* context, int index) {
        return cursor(at).write(context, index);
    }
    static int write_row_id(sqlite3_vtab_cursor* at, sqlite3_int64* row_id) {
        *row_id = static_cast<sqlite3_int64>(cursor(at).row());
        return SQLITE_OK;
    }

    static sqlite3_module make() {
        sqlite3_module module{};
        module.xCreate = sqlite::sqlite_callback<connect>;
        module.xConnect = sqlite::sqlite_callback<connect>;
        module.xBestIndex = sqlite::sqlite_callback<plan>;
        module.xDisconnect = disconnect;
        module.xDestroy = disconnect;
        module.xOpen = sqlite::sqlite_callback<open>;
        module.xClose = close;
        module.xFilter = sqlite::sqlite_callback<filter>;
        module.xNext = sqlite::sqlite_callback<next>;
        module.xEof = at_end;
        module.xColumn = sqlite::sqlite_callback<write>;
        module.xRowid = write_row_id;
        return module;
    }
};

/// Adds a module of the name `module`, and creates a table with it. If the module has the name of a table function, SQLite
/// itself offers the function and needs no table.
template <typename Source, typename RowCursor>
int create(sqlite3* connection, Source& source, const std::string& schema, const std::string& module) {
    static const sqlite3_module k_module = Module<Source, RowCursor>::make();
    const std::string& name = name_of(source);
    const int status = sqlite3_create_module_v2(connection, module.c_str(), &k_module, &source, nullptr);
    if (status != SQLITE_OK) return status;
    if (module != name) {
        const std::string sql = fmt::format("CREATE VIRTUAL TABLE {}.\"{}\" USING \"{}\"", schema, name, module);
        return sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    }
    // SQLite sets up the function when a statement first names it. This does so now, because a connection that was made
    // read-only would refuse it later as a change of the schema.
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(connection, fmt::format("SELECT 1 FROM \"{}\"", name).c_str(), -1, &statement, nullptr);
    sqlite3_finalize(statement);
    return SQLITE_OK;
}

}  // namespace

VirtualTable::VirtualTable(Table table, QueryControl& control)
    : table_(std::move(table)), control_(control), lookups_(table_.columns.size()) {}

std::shared_ptr<TextMatch> VirtualTable::text_match(const Column& column, ConstraintOperator comparison,
                                                    std::string pattern) {
    const auto known = std::ranges::find_if(
        matches_, [&](const auto& match) { return match->is_for(*column.dictionary, comparison, pattern); });
    if (known != matches_.end()) return *known;
    if (matches_.size() == k_max_cached_matches) matches_.erase(matches_.begin());
    matches_.push_back(std::make_shared<TextMatch>(column.dictionary, comparison, std::move(pattern), control_));
    return matches_.back();
}

const std::vector<std::uint32_t>* VirtualTable::lookup_rows(const Column& column) {
    Lookup& lookup = lookups_[static_cast<std::size_t>(&column - table_.columns.data())];
    if (++lookup.count < k_lookups_before_sorting) return nullptr;
    if (lookup.count == k_lookups_before_sorting) {
        lookup.rows.resize(table_.row_count());
        std::iota(lookup.rows.begin(), lookup.rows.end(), 0U);
        std::erase_if(lookup.rows, [&](std::uint32_t row) { return !column.integer(row); });
        sort_rows(lookup.rows, column, false);
    }
    lookup.count = k_lookups_before_sorting + 1;
    return &lookup.rows;
}

void VirtualTable::drop_cached_rows() { lookups_.assign(table_.columns.size(), {}); }

int create_virtual_tables(sqlite3* connection, const VirtualTables& tables, const VirtualTableFunctions& functions,
                          const std::string& schema) {
    int status = SQLITE_OK;
    for (const auto& table : tables) {
        const std::string module = fmt::format("{}_{}", schema, table->table().name);
        if (status == SQLITE_OK) status = create<VirtualTable, Cursor>(connection, *table, schema, module);
    }
    for (const auto& function : functions) {
        const std::string& name = function->table.name;
        const bool is_listed = schema != "main" || function->table.parameters.empty();
        const std::string module = is_listed ? fmt::format("{}_{}", schema, name) : name;
        if (status == SQLITE_OK)
            status = create<VirtualTableFunction, FunctionCursor>(connection, *function, schema, module);
    }
    return status;
}

}  // namespace snapviewer::query

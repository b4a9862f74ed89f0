#include "core/sqlite/connection.h"

#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/query/query_control.h"
#include "tests/unit/query_fixture.h"

namespace snapviewer::test {
namespace {

/// Returns the result of unmodified SQLite for an expression as text; "error" if it fails.
std::string answer_of_sqlite(const std::string& expression) {
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    const sqlite::SqliteConnection connection(raw);
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(raw, ("SELECT quote(" + expression + ")").c_str(), -1, &prepared, nullptr) != SQLITE_OK)
        return "error";
    const sqlite::SqliteStatement statement(prepared);
    if (sqlite3_step(prepared) != SQLITE_ROW) return "error";
    return reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
}

std::string answer_of_ours(query::Database& database, const std::string& expression) {
    const auto result = database.run("SELECT quote(" + expression + ")", {});
    return result ? std::get<std::string>(result->cell(0, 0)) : "error";
}

/// Runs a query that must be refused and returns the sentence of the error, in which values may be looked for.
std::string refusal_of(query::Database& database, const std::string& sql, const query::QueryLimits& limits = {}) {
    const Error error = error_of(database, sql, limits);
    EXPECT_EQ(error.code, ErrorCode::bad_query) << sql;
    return error.message;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Words {
public:
    explicit Words(unsigned seed) : random_(seed) {}

    std::string text(std::initializer_list<const char*> characters, std::size_t most) {
        std::string made;
        for (std::size_t n = random_() % (most + 1); n > 0; --n)
            made += *(characters.begin() + random_() % characters.size());
        return made;
    }
    /// A random text, blob, number or NULL as an SQL literal.
    std::string value(std::initializer_list<const char*> characters, std::size_t most) {
        switch (random_() % 12) {
            case 0: return "NULL";
            case 1: return std::to_string(random_() % 1000);
            case 2: return "x'61C3A462'";
            default: return "'" + text(characters, most) + "'";
        }
    }

private:
    std::mt19937 random_;
};

TEST(BoundedFunctions, AnswerAsSqliteDoes) {
    const auto database = make_database();
    Words words(5);
    for (int i = 0; i < 4000; ++i) {
        const std::string text = words.value({"a", "b", "A", " ", "ä", "Ä", "€", "1"}, 8);
        const std::string part = words.value({"a", "b", "ä", " ", "1"}, 2);
        const std::string pattern = words.value({"a", "B", "ä", "%", "_", "*", "?", "[", "]", "^", "-", "!"}, 6);
        for (const std::string& expression :
             {"instr(" + text + "," + part + ")", "'' || replace(" + text + "," + part + ",'xä')", "trim(" + text + ")",
              "trim(" + text + "," + part + ")", "ltrim(" + text + "," + part + ")", "rtrim(" + text + "," + part + ")",
              text + " LIKE " + pattern, text + " LIKE " + pattern + " ESCAPE '!'", text + " GLOB " + pattern,
              "'b' LIKE '%' ESCAPE " + part}) {
            ASSERT_EQ(answer_of_ours(*database, expression), answer_of_sqlite(expression)) << expression;
        }
    }
}

TEST(BoundedFunctions, MatchNothingForMinutes) {
    const auto database = make_database();
    const std::string text = "hex(zeroblob(8000000))";  // unmodified SQLite would run for minutes
    const std::string part = "substr(" + text + ", 1, 5000)";
    for (const auto& [function, expression] : std::vector<std::pair<std::string, std::string>>{
             {"like()", text + " LIKE '%' || " + part + " || '1'"},
             {"like()", text + " LIKE '%' || " + part + " || '1' ESCAPE '!'"},
             {"glob()", text + " GLOB '*' || " + part + " || '1'"},
             {"trim()", "trim(" + text + ", " + text + ")"},
             {"ltrim()", "ltrim(" + text + ", " + text + ")"},
             {"rtrim()", "rtrim(" + text + ", " + text + ")"},
             {"instr()", "instr(" + text + ", substr(" + text + ", 1, 8000000) || '1')"},
             {"replace()", "replace(" + text + ", substr(" + text + ", 1, 8000000) || '1', '')"}}) {
        const std::string refusal = refusal_of(*database, "SELECT " + expression);
        EXPECT_TRUE(refusal.starts_with(function + " ")) << expression << "\n" << refusal;
    }
    EXPECT_EQ(rows_of(*database, "SELECT instr(" + text + ", '1'), " + text + " LIKE '%1%'"), "0|0");
    EXPECT_THROW(sqlite::is_like(std::string(1 << 20, 'x'), std::string(1 << 20, 'x')), std::length_error);
    EXPECT_THROW(sqlite::is_glob(std::string(1 << 20, 'x'), std::string(1 << 20, 'x')), std::length_error);
}

TEST(BoundedFunctions, EndWhenTheQueryHasTo) {
    const auto database = make_database();
    const std::string endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT ";
    const std::string refusal =
        refusal_of(*database, endless + "max(hex(zeroblob(1000000)) LIKE '%' || hex(zeroblob(20)) || n || '1%') FROM t",
                   {.max_seconds = 0.2});
    EXPECT_TRUE(has(refusal, " 0.2 s")) << refusal;
}

TEST(BoundedFunctions, FormatAsSqliteDoes) {
    const auto database = make_database();
    for (const std::string expression :
         {"printf()", "printf(NULL, 1)", "printf('100%% of %d', 7)", "format('%5d|%-5d|%05d|%+d', 1, 2, 3, 4)",
          "printf('%,d %x %s %q %Q', 1234567, 255, 'a', 'it''s', NULL)", "printf('%.*c|%*s|%-*s', 3, 'x', 4, 'y', 5, 'z')",
          "printf('%.3f %e %g %!.15g', 2.5, 2.5, 0.1, 0.1)", "printf('%.2000000000s', 'whole')", "printf('%d %s')",
          "printf('%.2s%c', 'abc', 'def')", "printf('%lld %llx', -1, -1)", "printf('%y', 1)", "printf('%')",
          "printf(x'2564', 5)"})
        EXPECT_EQ(answer_of_ours(*database, expression), answer_of_sqlite(expression)) << expression;
}

/// Unmodified SQLite takes seconds for each of the first two calls, and for the others as often as they are repeated.
TEST(BoundedFunctions, FormatNothingWiderThanATextMayBe) {
    const auto database = make_database();
    const std::string many = "replace(hex(zeroblob(100000)), '00', '%.900000d')";
    for (const std::string& expression :
         {std::string("printf('%.*c', 2000000000, 'x')"), std::string("format('%.2000000000c', 'x')"),
          "printf(" + many + ")", std::string("printf('%s%.*c', 'x', -2000000000, 'y')"),
          std::string("printf('%*d', 2147483647, 1)")}) {
        const std::string function = expression.substr(0, expression.find('(')) + "() ";
        const std::string refusal = refusal_of(*database, "SELECT " + expression);
        EXPECT_TRUE(refusal.starts_with(function)) << expression << "\n" << refusal;
    }
}

/// A list grows with each row, until it reaches the length limit of texts, the memory limit of the query or its time limit.
TEST(BoundedFunctions, ListNothingLongerThanATextMayBe) {
    const auto database = make_database();
    const std::string endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) ";
    const std::string list =
        endless + "SELECT length(group_concat(hex(zeroblob(100000)), n)) FROM (SELECT n FROM t LIMIT 10000)";
    const std::string too_long = refusal_of(*database, list);
    EXPECT_EQ(too_long.find_first_of("0123456789"), std::string::npos) << "names no limit of the query: " << too_long;
    const std::string too_much = refusal_of(*database, list, {.max_memory_bytes = 4 << 20});
    EXPECT_TRUE(has(too_much, " 4 MiB ")) << too_much;
    const std::string too_slow = refusal_of(*database, endless + "SELECT group_concat('') FROM t", {.max_seconds = 0.2});
    EXPECT_TRUE(has(too_slow, " 0.2 s")) << too_slow;
}

TEST(BoundedFunctions, ChangeJsonAsSqliteDoes) {
    const auto database = make_database();
    const std::string json = R"('{"a": [1, {"b": 2.50}], "c": "x\u00e4y", "d": null}')";
    const std::vector<std::string> calls = {"json_extract(" + json + ", '$.a')",
                                            "json_extract(" + json + ", '$.a[1].b')",
                                            "json_extract(" + json + ", '$.c', '$.d')",
                                            "json_extract(" + json + ", '$.nowhere')",
                                            "json_extract(" + json + ")",
                                            "json_extract(NULL, '$.a')",
                                            "json_extract(" + json + ", 'a')",
                                            "json_extract('[1', '$[0]')",
                                            "json_set(" + json + ", '$.a', '[7]')",
                                            "json_set(" + json + ", '$.a', json('[7]'), '$.e', json_array(1, NULL))",
                                            "json_set(" + json + ", '$.a')",
                                            "json_set(" + json + ", '$.a[#]', 1.5, '$.f.g', 'x')",
                                            "json_insert(" + json + ", '$.a', 1, '$.n', json_object('k', 2))",
                                            "json_replace(" + json + ", '$.a', 1, '$.n', 2)",
                                            "json_replace(" + json + ", '$.c', x'00')",
                                            "json_remove(" + json + ", '$.a[0]', '$.d')",
                                            "json_remove(" + json + ")",
                                            "json_remove(" + json + ", '$')",
                                            "json_patch(" + json + R"(, '{"a": null, "c": {"d": 1}, "e": "f"}'))",
                                            "json_patch(" + json + ", '[1]')",
                                            "json_patch('[1', '{}')",
                                            "json_patch(" + json + ", NULL)"};
    for (const std::string& call : calls) {
        // JSON values are inserted into an array unchanged, everything else as text. This checks that each function marks
        // its result as JSON.
        for (const std::string& expression : {call, "json_array(" + call + ")", "json_set('{}', '$.x', " + call + ")"})
            EXPECT_EQ(answer_of_ours(*database, expression), answer_of_sqlite(expression)) << expression;
    }
    refusal_of(*database, "SELECT json_patch('[1', '{}')");
    EXPECT_EQ(rows_of(*database, "SELECT json_extract('[' || value || ']', '$[0]') FROM json_each('[4, 5]')"), "4\n5");
}

/// Unmodified SQLite takes minutes for the first call, ten seconds for each of the others, and the last one ends the
/// process.
TEST(BoundedFunctions, ChangeNoJsonForMinutes) {
    const auto database = make_database();
    // Inserts a thousand elements at a time, because a sanitizer costs a microsecond for each replacement.
    const auto repeated = [](const std::string& part, int times) {
        std::string parts;
        for (int i = 0; i < 1000; ++i) parts += part;
        return "replace(hex(zeroblob(" + std::to_string(times / 1000) + ")), '00', '" + parts + "')";
    };
    const std::string target = "'{' || " + repeated(R"("a":1,)", 600'000) + R"( || '"b":1}')";
    const std::string patch = "'{' || " + repeated(R"("c":1,)", 600'000) + R"( || '"d":1}')";
    const std::string list = "'[' || " + repeated("1,", 8'000'000) + " || '1]'";
    std::string paths;
    for (int i = 0; i < 60; ++i) paths += ", '$[#-1]', '$[#-2]'";
    for (const std::string& call : {"json_patch(" + target + ", " + patch + ")", "json_extract(" + list + paths + ")",
                                    "json_remove(" + list + paths + ")", "json_set(" + list + paths + ", '$[0]')"}) {
        const std::string name = call.substr(0, call.find('('));
        const std::string refusal = refusal_of(*database, "SELECT " + call);
        EXPECT_TRUE(refusal.starts_with(name + "() ")) << refusal;
    }
    const std::string long_path =
        refusal_of(*database, "SELECT json_set('{}', '$' || " + repeated(".a", 1'000'000) + ", 1)");
    EXPECT_TRUE(long_path.starts_with("json_set() ")) << long_path;
    EXPECT_EQ(rows_of(*database, "SELECT length(json_set('{}', '$' || " + repeated(".a", 1'000) + ", 1))"), "6001");
    EXPECT_EQ(rows_of(*database, "SELECT json_extract(" + list + ", '$[#-1]', '$[0]')"), "[1,1]");
}

/// Names of all functions that a plain connection of the linked SQLite knows.
std::vector<std::string> functions_of_sqlite() {
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    const sqlite::SqliteConnection connection(raw);
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v2(raw, "SELECT DISTINCT lower(name) FROM pragma_function_list", -1, &prepared, nullptr);
    const sqlite::SqliteStatement statement(prepared);
    std::vector<std::string> names;
    while (sqlite3_step(prepared) == SQLITE_ROW)
        names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0)));
    return names;
}

TEST(BuiltinFunctions, MayBeCalledIfListed) {
    for (const char* name : {"abs", "LIKE", "->>", "json_set", "zeroblob"}) EXPECT_TRUE(sqlite::may_call(name)) << name;
    for (const char* name : {"", "ab", "load_extension", "Load_Extension", "json_pretty", "fts5", "sqlite_log", "median"})
        EXPECT_FALSE(sqlite::may_call(name)) << name;
}

/// Checks every number of arguments that SQLite's own function accepts; otherwise the original could still be called with
/// another number. With one argument these functions are a single pass, so they are not replaced.
TEST(BuiltinFunctions, AreReplacedForEachNumberOfArguments) {
    query::QueryControl control;
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    const sqlite::SqliteConnection connection(raw);
    ASSERT_EQ(sqlite::create_guarded_functions(raw, control), SQLITE_OK);
    std::set<std::pair<std::string, int>> own, ours;
    std::set<std::string> replaced;
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v2(raw, "SELECT lower(name), narg, builtin FROM pragma_function_list", -1, &prepared, nullptr);
    const sqlite::SqliteStatement statement(prepared);
    while (sqlite3_step(prepared) == SQLITE_ROW) {
        const std::string name = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
        const bool is_own = sqlite3_column_int(prepared, 2) != 0;
        (is_own ? own : ours).emplace(name, sqlite3_column_int(prepared, 1));
        if (!is_own) replaced.insert(name);
    }
    EXPECT_GE(replaced.size(), 15U);
    for (const auto& [name, arguments] : own) {
        if (!replaced.contains(name) || arguments == 1) continue;
        EXPECT_TRUE(ours.contains({name, arguments})) << name << " of " << arguments;
    }
}

TEST(BuiltinFunctions, TablesOfModulesCannotBeRead) {
    const auto database = make_database();
    for (const char* table : {"dbstat", "sqlite_stmt"})
        EXPECT_TRUE(has(refusal_of(*database, std::string("SELECT * FROM ") + table), table));
    EXPECT_EQ(rows_of(*database, "SELECT fullkey FROM json_tree('[[1]]')"), "$\n$[0]\n$[0][0]");
}

TEST(BuiltinFunctions, WhatIsRefusedCannotBeCalled) {
    const auto database = make_database();
    std::size_t refused = 0;
    for (const std::string& name : functions_of_sqlite()) {
        if (sqlite::may_call(name)) continue;
        ++refused;
        for (const char* arguments : {"'1', '1'", "'1'"})
            EXPECT_FALSE(database->run("SELECT " + name + "(" + arguments + ")", {})) << name;
    }
    EXPECT_GT(refused, 2U);
    for (const std::string name : {"load_extension", "Load_Extension"})
        EXPECT_TRUE(has(refusal_of(*database, "SELECT " + name + "('x')"), " " + name + " "));
    EXPECT_EQ(rows_of(*database, "SELECT human(1), json_set('{}', '$.a', 1)"), "1 B|{\"a\":1}");
}

TEST(BoundedFunctions, PreparingAQueryEndsToo) {
    const auto database = make_database();
    std::string sql = "WITH t0(x) AS (SELECT 1)";
    for (int i = 1; i < 60; ++i) {
        const std::string before = "t" + std::to_string(i - 1);
        sql += ", t" + std::to_string(i) + "(x) AS (SELECT a.x FROM " + before + " a, " + before + " b)";
    }
    const std::string refusal = refusal_of(*database, sql + " SELECT count(*) FROM t59", {.max_seconds = 0.2});
    EXPECT_TRUE(has(refusal, " 0.2 s")) << refusal;
    EXPECT_EQ(rows_of(*database, "SELECT 1"), "1");
}

TEST(QueryLimits, CountTheMemoryOfOneQuery) {
    const auto database = make_database();
    const char* const hoards =
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 200000) "
        "SELECT count(*) FROM (SELECT DISTINCT printf('%0100d', n) FROM t)";
    EXPECT_EQ(rows_of(*database, hoards), "200000");
    const std::string refusal = refusal_of(*database, hoards, {.max_memory_bytes = 1 << 20});
    EXPECT_TRUE(has(refusal, " 1 MiB ")) << refusal;
    EXPECT_EQ(rows_of(*database, hoards), "200000") << "a limit is that query's alone";
}

TEST(QueryLimits, CountEveryCell) {
    const auto database = make_database();
    std::string columns = "n";
    for (int i = 1; i < 400; ++i) columns += ",n";
    const auto result = database->run(
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10000) SELECT " + columns + " FROM t",
        {.max_bytes = 1'000'000});
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_TRUE(result->truncated);
    EXPECT_LE(result->cells.size() * sizeof(Cell), 1'000'000 + 400 * sizeof(Cell));
    EXPECT_GT(result->row_count(), 10U);
}

void lack_memory(sqlite3_context*, int, sqlite3_value**) { throw std::bad_alloc(); }

TEST(BoundedFunctions, ALackOfMemoryPassesNoExceptionThroughSqlite) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
    const sqlite::SqliteConnection connection(raw);
    ASSERT_EQ(sqlite3_create_function_v2(raw, "lacking", 0, SQLITE_UTF8, nullptr, sqlite::sqlite_callback<lack_memory>,
                                         nullptr, nullptr, nullptr),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, "SELECT lacking()", nullptr, nullptr, nullptr), SQLITE_NOMEM);
    EXPECT_EQ(sqlite3_exec(raw, "SELECT 1", nullptr, nullptr, nullptr), SQLITE_OK) << "the connection stays usable";
}

}  // namespace
}  // namespace snapviewer::test

// Opens SQLite databases of every known kind, and any other. Mutations change cells, rows and tables through SQLite, or
// single bytes of the file.
#include <sqlite3.h>

#include <array>
#include <cstring>

#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

constexpr int k_max_steps = 200'000;  // of SQLite's, for one change: the schema may be hostile

/// A database in memory that is read from bytes and written to bytes.
class Editor {
public:
    Editor(std::string_view bytes, std::size_t max_size) {
        if (sqlite3_open(":memory:", &connection_) != SQLITE_OK) return;
        auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(max_size));
        std::memcpy(copy, bytes.data(), bytes.size());
        sqlite3_deserialize(connection_, "main", copy, static_cast<sqlite3_int64>(bytes.size()),
                            static_cast<sqlite3_int64>(max_size), SQLITE_DESERIALIZE_FREEONCLOSE);
        sqlite3_progress_handler(
            connection_, k_max_steps, [](void*) { return 1; }, nullptr);
    }
    ~Editor() { sqlite3_close(connection_); }
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    bool run(const std::string& sql) {
        return sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    /// Returns the first column of a query.
    std::vector<std::string> texts(const std::string& sql) {
        std::vector<std::string> found;
        const auto keep = [](void* to, int, char** values, char**) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(values[0] == nullptr ? "" : values[0]);
            return 0;
        };
        sqlite3_exec(connection_, sql.c_str(), keep, &found, nullptr);
        return found;
    }

    /// Writes the database and returns its size; 0 if it does not fit.
    std::size_t write(std::uint8_t* to, std::size_t max_size) {
        sqlite3_int64 size = 0;
        const unsigned char* bytes = sqlite3_serialize(connection_, "main", &size, SQLITE_SERIALIZE_NOCOPY);
        if (bytes == nullptr || size <= 0 || static_cast<std::size_t>(size) > max_size) return 0;
        std::memcpy(to, bytes, static_cast<std::size_t>(size));
        return static_cast<std::size_t>(size);
    }

private:
    sqlite3* connection_ = nullptr;
};

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

std::string odd_value(Random& random, const std::string& column) {
    constexpr std::array k_values = {"NULL",
                                     "''",
                                     "x'00ff'",
                                     "1e308",
                                     "-1e308",
                                     "9e999",
                                     "'0x7fffffffffffffff'",
                                     "'N/A'",
                                     "zeroblob(300)",
                                     "char(0, 27, 10)",
                                     "'9223372036854775807'",
                                     "'{\"size\":-1,\"total\":99999999999999999999}'",
                                     "0.5",
                                     "'a,b;c|d\ne(f):1'"};
    switch (below(random, 6)) {
        case 0: return std::to_string(odd_number(random));
        case 1: return column + " + " + std::to_string(odd_number(random));
        case 2: return "-" + column;
        case 3: return "hex(" + column + ")";
        default: return k_values[below(random, k_values.size())];
    }
}

std::string change_of(Random& random, const std::string& table, const std::string& column, const std::string& other) {
    const std::string some = " WHERE rowid IN (SELECT rowid FROM " + table + " LIMIT " +
                             std::to_string(1 + below(random, 3)) + " OFFSET " + std::to_string(below(random, 40)) + ")";
    switch (below(random, 12)) {
        case 0: return "DELETE FROM " + table + some;
        case 1: return "DELETE FROM " + table;
        case 2: return "INSERT INTO " + table + " SELECT * FROM " + table + " LIMIT 20";
        case 3: return "UPDATE " + table + " SET " + column + " = " + other + some;
        case 4: return "UPDATE " + table + " SET " + column + " = " + odd_value(random, column);
        case 5: return "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO moved";
        case 6: return "ALTER TABLE " + table + " DROP COLUMN " + column;
        case 7: return "DROP TABLE " + table;
        default: return "UPDATE " + table + " SET " + column + " = " + odd_value(random, column) + some;
    }
}

std::size_t mutate_database(std::uint8_t* data, std::size_t size, std::size_t max_size, Random& random) {
    Editor editor(as_text(data, size), max_size);
    const std::vector<std::string> tables =
        editor.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    if (tables.empty()) return 0;
    for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
        const std::string table = tables[below(random, tables.size())];
        std::string text = table;
        for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2))
            text.insert(at, 1, '\'');
        const std::vector<std::string> columns = editor.texts("SELECT name FROM pragma_table_info('" + text + "')");
        if (columns.empty()) continue;
        editor.run(change_of(random, quoted(table), quoted(columns[below(random, columns.size())]),
                             quoted(columns[below(random, columns.size())])));
    }
    return editor.write(data, max_size);
}

}  // namespace
}  // namespace snapviewer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    Random random(seed);
    if (below(random, 4) != 0) {
        if (const std::size_t changed = mutate_database(data, size, max_size, random); changed != 0) return changed;
    }
    return LLVMFuzzerMutate(data, size, max_size);
}

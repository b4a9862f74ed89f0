#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

namespace snapviewer {

/// The empty tables of a memory report of Skyline and DeepView.
inline constexpr const char* k_memory_report_tables =
    "CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name, size_bytes, grad_size_bytes);"
    "CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name, size_bytes);"
    "CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id, entry_type);"
    "CREATE TABLE stack_frames (correlation_id, ordering, file_path, line_number);"
    "CREATE TABLE entry_types (entry_type INTEGER PRIMARY KEY, name);"
    "CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes);";

/// RAII: a folder for the files of one test.
class TestFolder {
public:
    TestFolder() {
        path_ = std::filesystem::temp_directory_path() / ("snapviewer-test-" + std::to_string(std::random_device()()));
        std::filesystem::create_directory(path_);
    }
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

    /// Names, contents and time stamps of all files, to check that nothing has changed.
    std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> state() const {
        std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> found;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) {
            std::ifstream in(entry.path(), std::ios::binary);
            std::ostringstream bytes;
            bytes << in.rdbuf();
            found[entry.path().filename().string()] = {bytes.str(), entry.last_write_time()};
        }
        return found;
    }

private:
    std::filesystem::path path_;
};

/// A database that is written by a plain SQLite connection, as another program would write it.
class WrittenDatabase {
public:
    WrittenDatabase(const std::string& path, const std::string& sql) {
        if (sqlite3_open(path.c_str(), &connection_) != SQLITE_OK) throw std::runtime_error("cannot create " + path);
        execute(sql);
    }
    ~WrittenDatabase() { sqlite3_close(connection_); }
    WrittenDatabase(const WrittenDatabase&) = delete;
    WrittenDatabase& operator=(const WrittenDatabase&) = delete;

    void execute(const std::string& sql) {
        if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(connection_));
    }

private:
    sqlite3* connection_ = nullptr;
};

}  // namespace snapviewer

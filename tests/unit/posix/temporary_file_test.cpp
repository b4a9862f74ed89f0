#include "core/base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <set>

#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

std::set<std::string> names(const TestFolder& folder) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) found.insert(entry.path().filename());
    return found;
}

/// Creates a file as a killed process would leave it behind.
std::string leave(const TestFolder& folder, const std::string& name) {
    std::ofstream(folder.file(name)) << "half";
    return name;
}

void age(const std::string& path, std::time_t seconds) {
    const timespec then{std::time(nullptr) - seconds, 0};
    const timespec times[] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

/// Runs `act` in a child process, which the signal `number` ends, and returns the signal that ended it.
int ended_by(int number, const std::function<void()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
        remove_temporary_files_on_signals();
        act();
        ::raise(number);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

constexpr std::time_t k_minute_s = 60;

/// Creates a new file in the folder. Its time is the reference for the age of the others.
FileHandle newest_in(const TestFolder& folder) {
    std::error_code failed;
    return create_new_file(folder.file("newest"), std::filesystem::perms(0600), Umask::applied, failed);
}

TEST(TemporaryFile, AfterAnHourTheyAreAbandoned) {
    const TestFolder folder;
    const std::string young = leave(folder, ".snapviewer-01234567-0123456789abcdef");
    const std::string old = leave(folder, ".snapviewer-76543210-fedcba9876543210");
    age(folder.file(young), 59 * k_minute_s);
    age(folder.file(old), 61 * k_minute_s);
    remove_abandoned_temporary_files(folder.file(""), newest_in(folder));
    EXPECT_EQ(names(folder), (std::set<std::string>{"newest", young}));
}

TEST(TemporaryFile, TheNextWriteRemovesThem) {
    const TestFolder folder;
    age(folder.file(leave(folder, ".snapviewer-01234567-0123456789abcdef")), 61 * k_minute_s);
    Result<OutputFile> file = OutputFile::create(folder.file("out"));
    ASSERT_TRUE(file && file->commit());
    EXPECT_EQ(names(folder), (std::set<std::string>{"out"}));
}

TEST(TemporaryFile, TheClockOfThisMachineDoesNotMatter) {
    const TestFolder folder;
    const std::string written = leave(folder, ".snapviewer-01234567-0123456789abcdef");
    age(folder.file(written), 90 * k_minute_s);
    const FileHandle newest = newest_in(folder);
    age(folder.file("newest"), 60 * k_minute_s);  // as if the server's clock were an hour behind
    remove_abandoned_temporary_files(folder.file(""), newest);
    EXPECT_EQ(names(folder), (std::set<std::string>{"newest", written}));
}

TEST(TemporaryFile, WhatIsNotOursStays) {
    const TestFolder folder;
    const std::string ours = ".snapviewer-01234567-0123456789abcde";
    std::set<std::string> kept;
    for (const std::string& name :
         {std::string("out"), std::string(".snapviewer-"), std::string(".snapviewer-notes"), ours, ours + "g",
          ours + "0.txt", "x" + ours + "0", std::string(".snapviewer-01234567_0123456789abcdef")})
        kept.insert(leave(folder, name));
    kept.insert(ours + "1");
    std::filesystem::create_directory(folder.file(ours + "1"));
    kept.insert(ours + "2");
    std::filesystem::create_symlink(folder.file("out"), folder.file(ours + "2"));
    kept.insert(ours + "3");
    ASSERT_EQ(::mkfifo(folder.file(ours + "3").c_str(), 0600), 0);
    kept.insert(leave(folder, ours + "4"));  // a second name means that it is in use
    kept.insert("second name");
    std::filesystem::create_hard_link(folder.file(ours + "4"), folder.file("second name"));
    if (::geteuid() == 0) {
        kept.insert(leave(folder, ours + "5"));
        ASSERT_EQ(::chown(folder.file(ours + "5").c_str(), 65534, 65534), 0);
    }
    for (const std::string& name : kept) {
        if (std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.file(name))))
            age(folder.file(name), 61 * k_minute_s);
    }
    const FileHandle newest = newest_in(folder);
    kept.insert("newest");
    remove_abandoned_temporary_files(folder.file(""), newest);
    EXPECT_EQ(names(folder), kept);
}

TEST(TemporaryFile, ASignalRemovesFilesAndFoldersAndEndsTheProgram) {
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGXCPU, SIGPIPE}) {
        const TestFolder folder;
        const auto write = [&] {
            static TemporaryPath made(folder.file("folder"), TemporaryPath::Kind::folder);
            std::filesystem::create_directory(folder.file("folder"));
            static Result<OutputFile> inside = OutputFile::create(folder.file("folder/out"));
            static Result<OutputFile> outside = OutputFile::create(folder.file("out"));
            if (names(folder).size() != 2 || !inside || !outside) ::_exit(1);
        };
        EXPECT_EQ(ended_by(number, write), number);
        EXPECT_EQ(names(folder), (std::set<std::string>{}));
    }
}

TEST(TemporaryFile, ASignalLeavesWhatIsInPlace) {
    const TestFolder folder;
    const auto write = [&] {
        Result<OutputFile> file = OutputFile::create(folder.file("out"));
        if (!file || !file->commit()) ::_exit(1);
    };
    EXPECT_EQ(ended_by(SIGTERM, write), SIGTERM);
    EXPECT_EQ(names(folder), (std::set<std::string>{"out"}));
}

}  // namespace
}  // namespace snapviewer

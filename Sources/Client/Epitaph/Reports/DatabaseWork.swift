// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphSystem
import Synchronization

extension CrashReporter {
    /// As `withReportDatabase`.
    func withDatabase<Value>(
        _ body: (ReportDatabase) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try withReportDatabase(at: databasePath, body)
    }
}

/// Calls `body` with an opened database.
///
/// If the program has rights over other users' files and the database belongs to another user, this
/// uses that user's rights, on a separate thread: exchanging rights makes the kernel forget which
/// signal the calling thread is to get when its parent dies, and the program may be giving up
/// rights at this moment. The calling thread waits.
func withReportDatabase<Value>(
    at path: String, _ body: (ReportDatabase) throws(DatabaseError) -> Value
) throws(DatabaseError) -> Value {
    guard isAnothersDatabase(path) else {
        return try body(try ReportDatabase(opening: path, ifMissing: .create))
    }
    return try onThreadOfItsOwn { () throws(DatabaseError) in
        try body(try ReportDatabase(opening: path, ifMissing: .create))
    }
}

private func isAnothersDatabase(_ path: String) -> Bool {
    do throws(SystemError) {
        return try Directory(opening: path).needsOwnersRights()
    } catch {
        return false
    }
}

private func onThreadOfItsOwn<Value>(
    _ body: () throws(DatabaseError) -> Value
) throws(DatabaseError) -> Value {
    let result: Result<Value, DatabaseError>
    do throws(SystemError) {
        result = try BackgroundThread.during("epitaph-reports") {
            Result { () throws(DatabaseError) in try body() }
        }
    } catch {
        throw .system(error)
    }
    return try result.get()
}

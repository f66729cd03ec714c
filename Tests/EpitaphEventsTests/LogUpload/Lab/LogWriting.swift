// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

/// Writes a file, and returns when no process has it open for writing: programs that other tests
/// are starting at this moment have, until exec(2), every file open that this process has.
func writeLog(_ bytes: [UInt8], to directory: String, _ name: String) throws {
    let path = directory + "/" + name
    func write() throws {
        let file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try bytes.withUnsafeBytes { try file.writeAll($0) }
    }
    try write()
    let file = try FileDescriptor.openForReading(path)
    #expect(eventually { file.isOpenForWriting() == false })
}

/// Closes a file that was open for writing, and comes back when no other process has it so.
func closeLog(_ writer: Int32, _ path: String) throws {
    close(writer)
    let file = try FileDescriptor.openForReading(path)
    #expect(eventually { file.isOpenForWriting() == false })
}

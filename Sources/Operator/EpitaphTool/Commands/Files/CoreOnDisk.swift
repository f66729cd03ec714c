// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphSystem
import EpitaphValues

/// A core file, read in pieces: it may be larger than memory.
final class CoreOnDisk: CoreSource {
    let byteCount: UInt64
    let head: ByteSlice
    private(set) var readProblem: String?
    private let file: FileDescriptor

    private static let headSize = 4_096

    /// - Parameter problem: why the file is known to be incomplete, as a clause.
    /// - Returns: nil if it is not a core.
    init?(_ file: FileDescriptor, problem: String?) throws(SystemError) {
        guard let head = try? Self.head(of: file), CoreReader.isCore(head) else { return nil }
        self.file = file
        self.head = head
        byteCount = UInt64(try file.fileStatus().sizeBytes)
        readProblem = problem
    }

    static func head(of file: FileDescriptor) throws(SystemError) -> ByteSlice {
        ByteSlice(try file.readBytes(count: headSize, at: 0))
    }

    func bytes(at offset: UInt64, count: Int) -> ByteSlice {
        guard offset < byteCount, count > 0 else { return .empty }
        let wanted = min(count, Int(clamping: byteCount - offset))
        do throws(SystemError) {
            return ByteSlice(try file.readBytes(count: wanted, at: Int(clamping: offset)))
        } catch {
            readProblem = readProblem ?? error.reason
            return .empty
        }
    }
}

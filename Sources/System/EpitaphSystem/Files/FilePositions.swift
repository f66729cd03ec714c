// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

extension FileDescriptor {
    package func readBytes(count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                while filled < count {
                    let rest = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
                    let readCount = try read(into: rest, at: offset + filled)
                    guard readCount > 0 else { break }
                    filled += readCount
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// pwrite(2) until all is written, without moving the position.
    package func writeAll(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try writeAll(bytes, at: offset) }
        }
        try result.get()
    }

    package func writeAll(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = retryingInterrupts {
                pwrite(rawValue, rest.baseAddress, rest.count, offset + written)
            }
            guard count > 0 else {
                throw count < 0
                    ? .last("pwrite", path)
                    : SystemError(call: "pwrite", subject: path, errorNumber: EIO)
            }
            written += count
        }
    }

    /// futimens(2), without the access time. The kernel's own stamps are those of its last tick.
    package func setModificationTimeToNow() throws(SystemError) {
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { throw .last("clock_gettime", path) }
        // UTIME_OMIT, sys/stat.h.
        let times = [timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe), now]
        guard retryingInterrupts({ futimens(rawValue, times) }) == 0 else {
            throw .last("futimens", path)
        }
    }

    package func truncate(toBytes count: Int) throws(SystemError) {
        guard retryingInterrupts({ ftruncate(rawValue, count) }) == 0 else {
            throw .last("ftruncate", path)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Directory {
    /// Writes a temporary file and renames it: readers, also after a crash, see the old or new
    /// contents.
    ///
    /// - Parameters:
    ///   - unfinished: temporary name, not in use. The caller cleans up after a crash.
    ///   - beside: directory of `unfinished`, on the same file system; nil for this one.
    ///   - isSynced: whether the new contents survive power loss once this returns.
    package func replace(
        _ name: String, with bytes: [UInt8], writing unfinished: String,
        in beside: Directory? = nil, isSynced: Bool
    ) throws(SystemError) {
        let place = beside ?? self
        let file = try place.create(unfinished)
        do throws(SystemError) {
            try file.writeAll(bytes, at: 0)
            if isSynced { try file.synchronize() }
            try place.rename(unfinished, to: self, as: name)
        } catch {
            _ = try? place.remove(unfinished)
            throw error
        }
        if isSynced { try synchronize() }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Directory {
    /// Gives a file new contents as a whole: they are written beside it and renamed over it, so
    /// that every reader, and the next start after a death at any moment, sees the old or the new
    /// ones.
    ///
    /// - Parameters:
    ///   - unfinished: the name until it is whole, which nothing has. What a death leaves under it
    ///     is the caller's to clean up.
    ///   - beside: where that is, on the same file system; nil for this directory.
    ///   - isSynced: whether the new contents survive a power failure once this has returned.
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

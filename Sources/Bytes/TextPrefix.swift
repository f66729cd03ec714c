// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The beginning that takes at most `byteCount` bytes of UTF-8, cut between characters.
    public func prefix(byteCount: Int) -> Substring {
        var rest = byteCount
        return prefix { character in
            rest -= character.utf8.count
            return rest >= 0
        }
    }
}

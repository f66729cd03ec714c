// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A wtmp record, utmp(5), of this machine's libc: bits/utmpx.h. 64-bit machines that also run
/// 32-bit programs store session and time in 32 bits, others in `long`.
package struct UserRecordLayout: Sendable {
    package let byteCount: Int
    /// Offset of the user name: 32 bytes, NUL-terminated unless full.
    package let user: Int
    /// Offsets of the seconds since 1970, native byte order.
    package let seconds: Range<Int>

    package static let own: UserRecordLayout = {
        // Not nil: these are no bit-fields.
        let time = MemoryLayout<utmpx>.offset(of: \.ut_tv) ?? 0
        let user = MemoryLayout<utmpx>.offset(of: \.ut_user) ?? 0
        let secondsSize = MemoryLayout.size(ofValue: utmpx().ut_tv.tv_sec)
        return UserRecordLayout(
            byteCount: MemoryLayout<utmpx>.size, user: user, seconds: time..<(time + secondsSize))
    }()
}

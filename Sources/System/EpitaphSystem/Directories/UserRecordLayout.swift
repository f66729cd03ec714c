// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where the fields of a record in wtmp are, utmp(5), as this machine's C library has them:
/// bits/utmpx.h. 64-bit machines that have 32-bit programs too keep session and time in 32 bits,
/// the others in the width of `long`.
package struct UserRecordLayout: Sendable {
    /// The size of a record.
    package let byteCount: Int
    /// Where the name of the user begins; it ends with NUL unless it fills its 32 bytes.
    package let user: Int
    /// The bytes of the seconds since 1970, a number in the machine's own order.
    package let seconds: Range<Int>

    /// That of the machine this runs on; the type of the record is in the first two bytes.
    package static let own: UserRecordLayout = {
        // Fields of a C structure that are no bit fields have an offset.
        let time = MemoryLayout<utmpx>.offset(of: \.ut_tv) ?? 0
        let user = MemoryLayout<utmpx>.offset(of: \.ut_user) ?? 0
        let secondsSize = MemoryLayout.size(ofValue: utmpx().ut_tv.tv_sec)
        return UserRecordLayout(
            byteCount: MemoryLayout<utmpx>.size, user: user, seconds: time..<(time + secondsSize))
    }()
}

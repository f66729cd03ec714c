// SPDX-License-Identifier: Apache-2.0

import EpitaphFoundation
import Foundation

let moment = Date(Epitaph.Timestamp(secondsSince1970: 0))
print("used EpitaphFoundation", moment.timeIntervalSince1970, UUID(Epitaph.ID()))

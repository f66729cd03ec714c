// SPDX-License-Identifier: Apache-2.0

import EpitaphRequestMonitoring
import Foundation
import FoundationNetworking

let configuration = URLSessionConfiguration.default
print("used EpitaphRequestMonitoring", configuration.monitorRequests(with: nil))
